/// Text of numbers and numbers of text: shortest and exact, without a locale.
#pragma once

#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::io {

/// Appends the shortest text that reads back as the same value: integers in full, floats in decimal
/// from 1e-4 to below 1e16 and with an exponent beyond, "nan", "inf", "-inf", "-0", "true" and
/// "false". `value` points to one element of `type`, of any alignment.
void append_number(std::string& out, dtype type, void const* value);
[[nodiscard]] std::string number_text(dtype type, void const* value);
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string number_text(float value);
[[nodiscard]] std::string number_text(std::int64_t value);
[[nodiscard]] std::string number_text(std::uint64_t value);

/// How reading a token ended.
enum class parsed : std::uint8_t { good, malformed, too_large };

/// Reads all of `token` as one value of `type` into `value` (any alignment). A leading '+' is
/// accepted. `inf` and `nan` are floats; a decimal beyond the largest float is `too_large`, one
/// below the smallest rounds to zero. "true", "false", 0, 1 are booleans. For integer types "3.0"
/// and "1e3" are malformed.
[[nodiscard]] parsed parse_number(std::string_view token, dtype type, void* value) noexcept;
/// The same with a usage_error: for values on the command line, named `what`.
void parse_option_number(std::string_view token, dtype type, void* value, std::string_view what);

/// A checked printf format with one number in it ("%.3f", "%8d", "%g ms").
class number_format {
 public:
  /// The empty format is append_number's. Throws usage_error for a format that printf would not
  /// take, or with no or two numbers.
  explicit number_format(std::string format = {});
  /// %d, %u, %x, %o want an integer type and give a usage_error for floats; %e, %f, %g, %a take
  /// any.
  void append(std::string& out, dtype type, void const* value) const;

 private:
  std::string format_;
  char conversion_ = 0;
};

}  // namespace upsweep::io
