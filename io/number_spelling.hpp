/// Numbers with thousands separators or another decimal separator, as people and spreadsheets write
/// them.
#pragma once

#include <string>
#include <string_view>

namespace upsweep::io {

struct number_spelling {
  std::string thousands = {};  ///< one UTF-8 character between groups of three digits, or empty
  char decimal = '.';

  [[nodiscard]] bool is_standard() const noexcept { return thousands.empty() && decimal == '.'; }
};

/// The number `token` without separators and with a decimal point, in `buffer`, or `token` itself
/// if it needs no change or does not begin like a number. A token that breaks the rules becomes
/// "?", which is not a number: a separator that does not stand before three digits, or a point that
/// is not the decimal separator.
[[nodiscard]] std::string_view standard_form(std::string_view token,
                                             number_spelling const& spelling, std::string& buffer);

/// "; for decimal commas use --decimal ,", or what else would make a number of `token`, for an
/// error message; empty if nothing would.
[[nodiscard]] std::string spelling_hint(std::string_view token);

}  // namespace upsweep::io
