/// Conversion between numbers and text: shortest, exact, and independent of the locale.
#pragma once

#include <io/dtype.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::io {

/// Appends the shortest text that reads back as the same value: integers in full, floats as plain
/// decimals from 1e-4 to below 1e16 and with an exponent outside, "nan", "inf", "-inf", "-0",
/// "true" and "false". `value` points to one element of `type`, of any alignment.
void append_number(std::string& out, dtype type, void const* value);
[[nodiscard]] std::string number_text(dtype type, void const* value);
template <class T>
[[nodiscard]] std::string number_text(T value) {
  return number_text(dynamic::dtype_of<T>, &value);
}

/// Outcome of parsing a token.
enum class parsed : std::uint8_t { good, malformed, too_large };

/// Parses all of `token` as one value of `type` into `value` (any alignment). A leading '+' is
/// accepted. `inf` and `nan` are floats. A decimal above the largest float is `too_large`; one
/// below the smallest rounds to zero. "true", "false", 0 and 1 are booleans. For integer types
/// "3.0" and "1e3" are malformed.
[[nodiscard]] parsed parse_number(std::string_view token, dtype type, void* value) noexcept;
/// The same for a value on the command line: throws usage_error. `what` is the option's name.
void parse_option_number(std::string_view token, dtype type, void* value, std::string_view what);

/// A validated printf format with one conversion ("%.3f", "%8d", "%g ms").
class number_format {
 public:
  /// The empty format is that of append_number. Throws usage_error for a format that printf would
  /// not accept or that has no conversion or more than one.
  explicit number_format(std::string format = {});
  /// %d, %u, %x and %o need an integer type and throw usage_error for floats. %e, %f, %g and %a
  /// accept any type.
  void append(std::string& out, dtype type, void const* value) const;

 private:
  std::string format_;
  char conversion_ = 0;
};

}  // namespace upsweep::io
