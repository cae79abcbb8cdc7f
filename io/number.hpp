/// Conversion between numbers and text, which is shortest, exact, and independent of the locale;
/// and between arrays of numbers by the rules that apply to text.
///
/// clang 14 has no _Float16 on x86, so binary16 is converted here by its bits, with one rounding
/// from binary64.
#pragma once

#include <io/dtype.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
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

/// True for an optional sign followed by digits.
[[nodiscard]] bool has_integer_form(std::string_view token) noexcept;
/// f64 holds all integers up to this one.
inline constexpr std::int64_t largest_exact = std::int64_t{1} << 53;
inline constexpr std::size_t digits_of_largest_exact = 16;
/// Integers below this one are compared exactly, others as f64.
inline constexpr double largest_compared = 0x1p126;
/// True for an integer that f64 rounds, and for one of at least largest_compared.
[[nodiscard]] bool is_rounded(std::string_view token);
/// True if such an integer may be in `text`: 16 digits in a row.
[[nodiscard]] bool has_long_integer(std::string_view text) noexcept;
/// Appends `number`, which is in the standard form, such that equal numbers have one spelling, by
/// which their order can be told: an integer, or a decimal as f64.
void append_spelling(std::string& out, std::string_view number);

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
  std::size_t conversion_at_ = 0;
};

/// The bits of the nearest value (ties to even) of the format with `exponent_bits` bits of exponent
/// and 15 - exponent_bits bits of fraction. NaN becomes a quiet NaN.
template <int exponent_bits>
[[nodiscard]] std::uint16_t round_to_16_bits(double value) noexcept {
  constexpr int fraction_bits = 15 - exponent_bits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr auto infinity = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << fraction_bits);
  auto const sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value))
    return static_cast<std::uint16_t>(sign | infinity | (1 << (fraction_bits - 1)));
  auto const magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  if (std::isinf(value)) return sign | infinity;
  // The exponent determines the spacing of the format; subnormal numbers share that of the smallest
  // normal number.
  int const exponent = std::max(std::ilogb(magnitude), 1 - bias);
  auto const units =
      std::nearbyint(std::ldexp(magnitude, fraction_bits - exponent));  // the only rounding
  // Integer addition carries from the fraction into the exponent, up to infinity.
  auto const bits = static_cast<std::int64_t>(units) +
                    (static_cast<std::int64_t>(exponent + bias - 1) << fraction_bits);
  return static_cast<std::uint16_t>(
      sign | static_cast<std::uint16_t>(std::min<std::int64_t>(bits, infinity)));
}

template <int exponent_bits>
[[nodiscard]] double value_of_16_bits(std::uint16_t bits) noexcept {
  constexpr int fraction_bits = 15 - exponent_bits;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int largest = (1 << exponent_bits) - 1;
  int const exponent = (bits >> fraction_bits) & largest;
  int const fraction = bits & ((1 << fraction_bits) - 1);
  double magnitude = 0;
  if (exponent == largest) {
    magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// A 16-bit float as stored in memory.
template <int exponent_bits>
struct small_float {
  std::uint16_t bits = 0;

  small_float() = default;
  explicit small_float(double value) noexcept : bits(round_to_16_bits<exponent_bits>(value)) {}
  explicit operator double() const noexcept { return value_of_16_bits<exponent_bits>(bits); }
};
using stored_f16 = small_float<5>;
using stored_bf16 = small_float<8>;

template <class T>
inline constexpr bool is_small_float = std::same_as<T, stored_f16> || std::same_as<T, stored_bf16>;

/// Calls `f.template operator()<T>()` with the type in which values of `type` are stored.
template <class F>
decltype(auto) dispatch_storage(dtype type, F&& f) {
  using namespace dynamic;
  if (type == dtype::f16) return f.template operator()<stored_f16>();
  if (type == dtype::bf16) return f.template operator()<stored_bf16>();
  return dispatch(join<integers, wide_floats, types<bool>>{}, type, f,
                  []() -> decltype(f.template operator()<double>()) { __builtin_unreachable(); });
}

/// Converts `count` values (any alignment) and returns the index of the first that does not fit, or
/// `count`. An integer must be in range. A float becomes an integer only if its value is one. A
/// finite value must not become infinite. Only 0 and 1 become booleans.
[[nodiscard]] std::size_t convert(dtype from, void const* in, dtype to, void* out,
                                  std::size_t count) noexcept;

/// Copies `count` elements of `size` bytes, whose beginnings are so many bytes apart.
void copy_elements(void* out, std::size_t out_stride, void const* in, std::size_t in_stride,
                   std::size_t size, std::size_t count) noexcept;

/// Reverses the bytes of each of `count` elements of `size` bytes.
void swap_bytes(void* values, std::size_t size, std::size_t count) noexcept;

/// The index of the first byte that is neither 0 nor 1, or the size.
[[nodiscard]] std::size_t find_bad_boolean(std::span<std::byte const> bytes) noexcept;

}  // namespace upsweep::io
