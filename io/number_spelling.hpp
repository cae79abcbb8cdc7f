/// Numbers with thousands separators or another decimal separator, as people and spreadsheets write
/// them.
#pragma once

#include <io/currency.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace upsweep::io {

struct number_spelling {
  std::string thousands = {};  ///< one UTF-8 character between groups of three digits, or empty
  char decimal = '.';
  /// Not null: numbers are amounts of money, which have `thousands`.
  std::shared_ptr<column_currencies> currencies = {};
  bool says_decimal = false;  ///< an amount such as 1.234 may be meant with these separators

  [[nodiscard]] bool is_standard() const noexcept { return thousands.empty() && decimal == '.'; }
  /// That of a column; null if numbers are no amounts.
  [[nodiscard]] one_currency* currency_of(std::string const& column) const {
    return currencies ? &currencies->of(column) : nullptr;
  }
  /// False for an amount in another currency than those before.
  [[nodiscard]] bool is_in(one_currency* currency, std::string_view token) const;
};

/// What is wrong with an amount in another currency; `in` says of which column it is.
[[nodiscard]] std::string currency_error(std::string_view token, std::string_view in,
                                         one_currency const& currency);

/// The number `token` without separators and with a decimal point, in `buffer`, or `token` itself
/// if it needs no change or does not begin like a number. A token that breaks the rules becomes
/// "?", which is not a number: a separator that is not before three digits (or, of an
/// amount, as in 12,34,567), a point that is not the decimal separator, or an amount such as 1.234,
/// whose point may be either.
[[nodiscard]] std::string_view standard_form(std::string_view token,
                                             number_spelling const& spelling, std::string& buffer);

/// True for a number, and for a text that people read as one: "$900", "1.234,5", "9 %", "8.0K",
/// "<5", "0x1F". Strings in their own order would not be in that of these numbers.
[[nodiscard]] bool looks_like_number(std::string_view token);

/// "; for decimal commas use --decimal ,", or what else would make a number of `token`, for an
/// error message; empty if nothing would.
[[nodiscard]] std::string spelling_hint(std::string_view token,
                                        number_spelling const& spelling = {});

}  // namespace upsweep::io
