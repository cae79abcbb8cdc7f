/// The number types beyond the standard ones (128-bit integers, 16-bit floats), and which type
/// accumulates which.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::detail {

/// Unsigned integers to unsigned integers, one to one: `always` is xored to each, and `by_sign`,
/// which does not have the highest bit, to those whose highest bit is set.
template <class U>
struct key_map {
  U by_sign, always;

  /// From the bits of numbers to the integers of their order: integers by value, floating-point
  /// numbers by std::strong_order, from NaN with a sign over -0 and +0 to NaN without.
  [[nodiscard]] static UPSWEEP_BOTH constexpr key_map of_numbers(bool are_floats, bool have_sign,
                                                                 bool descending = false) {
    constexpr U sign = static_cast<U>(U{1} << (8 * sizeof(U) - 1));
    U const ascending = are_floats || have_sign ? sign : U{};
    return {are_floats ? static_cast<U>(~sign) : U{},
            descending ? static_cast<U>(~ascending) : ascending};
  }

  /// No branches: of random numbers every second would be predicted wrongly.
  [[nodiscard]] UPSWEEP_BOTH constexpr U operator()(U bits) const {
    return static_cast<U>(bits ^ (all_if_negative(bits) & by_sign) ^ always);
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr key_map inverse() const {
    return {by_sign, static_cast<U>(always ^ (all_if_negative(always) & by_sign))};
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_identity() const {
    return by_sign == 0 && always == 0;
  }

  [[nodiscard]] static UPSWEEP_BOTH constexpr U all_if_negative(U bits) {
    return static_cast<U>(0 - (bits >> (8 * sizeof(U) - 1)));
  }
};

}  // namespace upsweep::detail

UPSWEEP_IEEE_BEGIN
namespace upsweep {

__extension__ typedef __int128 int128;            // NOLINT: `using` would warn about the extension
__extension__ typedef unsigned __int128 uint128;  // NOLINT

#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || defined(__x86_64__) || __GNUC__ > 12)
/// IEEE binary16: the compiler's own type where it has one in C++ (g++ on x86, 13 on Arm, clang
/// 15).
using float16 = _Float16;
#define UPSWEEP_HAS_FLOAT16 1
#elif !defined(__x86_64__)  // there a library by another compiler has the built-in type
#define UPSWEEP_HAS_FLOAT16 1
/// IEEE binary16 where the compiler has no type for it, such as g++ 12 on other CPUs than x86.
/// Converts from other numbers with one rounding to nearest, ties to even. Converts to float, in
/// which values are combined. A number has the same bits as in the compilers' _Float16.
struct UPSWEEP_API float16 {
  std::uint16_t bits = 0;

  constexpr float16() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  // NOLINTNEXTLINE: implicit, as between the built-in types
  UPSWEEP_BOTH constexpr float16(T value) : bits(round(static_cast<double>(value))) {}
  // NOLINTNEXTLINE
  UPSWEEP_BOTH constexpr operator float() const {
    std::uint32_t const sign = std::uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 0x1fu,
                        mantissa = bits & 0x3ffu;
    if (exponent == 0) {  // zero or subnormal: a multiple of 2^-24
      float const size = static_cast<float>(mantissa) * 0x1p-24f;
      return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, size) | sign);
    }
    std::uint32_t const wide = exponent == 31 ? 255 : exponent + (127 - 15);
    return __builtin_bit_cast(float, sign | wide << 23 | mantissa << 13);
  }

 private:
  static UPSWEEP_BOTH constexpr std::uint16_t round(double value) {
    auto const all = __builtin_bit_cast(std::uint64_t, value), sign = all >> 48 & 0x8000u,
               size = all & ~(std::uint64_t{1} << 63);
    if (size > std::uint64_t{0x7ff} << 52)  // a quiet NaN
      return static_cast<std::uint16_t>(sign | 0x7e00u | (size >> 42 & 0x1ffu));
    int const exponent = static_cast<int>(size >> 52) - 1023;
    if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7c00u);
    if (exponent < -25) return static_cast<std::uint16_t>(sign);
    // The bits of the result with those that are rounded off after them. A carry out of the
    // mantissa leads to the next exponent, and at last to infinity.
    std::uint64_t const fraction = size & ((std::uint64_t{1} << 52) - 1);
    bool const is_normal = exponent >= -14;
    int const dropped = is_normal ? 42 : 28 - exponent;
    std::uint64_t const exact = is_normal
                                    ? static_cast<std::uint64_t>(exponent + 15) << 52 | fraction
                                    : std::uint64_t{1} << 52 | fraction;
    std::uint64_t const half = std::uint64_t{1} << (dropped - 1), rest = exact & (2 * half - 1),
                        kept = exact >> dropped;
    return static_cast<std::uint16_t>(sign |
                                      (kept + (rest > half || (rest == half && (kept & 1u) != 0))));
  }
};
#endif

/// bfloat16: the upper half of an IEEE binary32. Converts from float with rounding to nearest, ties
/// to even; NaN stays NaN.
struct UPSWEEP_API bfloat16 {
  std::uint16_t bits = 0;

  constexpr bfloat16() = default;
  // NOLINTNEXTLINE: implicit, as between the built-in types
  UPSWEEP_BOTH constexpr bfloat16(float value) : bits(round(value)) {}
  // NOLINTNEXTLINE
  UPSWEEP_BOTH constexpr operator float() const {
    return __builtin_bit_cast(float, std::uint32_t{bits} << 16);
  }

 private:
  static UPSWEEP_BOTH constexpr std::uint16_t round(float value) {
    auto const wide = __builtin_bit_cast(std::uint32_t, value);
    if ((wide & 0x7fffffffu) > 0x7f800000u)
      return static_cast<std::uint16_t>((wide >> 16) | 0x40u);  // a quiet NaN
    return static_cast<std::uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
  }
};

namespace detail {

template <class T>
inline constexpr bool is_int128 = std::is_same_v<T, int128> || std::is_same_v<T, uint128>;
/// The built-in integers of 8 to 128 bits, `bool` and the character types included.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> || is_int128<T>;
template <class T>
inline constexpr bool is_narrow_float =
#ifdef UPSWEEP_HAS_FLOAT16
    std::is_same_v<T, float16> ||
#endif
    std::is_same_v<T, bfloat16>;
/// float, double, long double and the 16-bit formats.
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_narrow_float<T>;

template <class T>
inline constexpr bool has_sign = static_cast<T>(-1) < static_cast<T>(0);

/// The unsigned integer of as many bytes; void if there is none.
template <std::size_t bytes>
using bits_of_size = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t,
                                          std::conditional_t<bytes == 8, std::uint64_t, void>>>>;

/// The bits, but for the sign, of the NaN that marks an infinite factor of a product
/// (ops/arithmetic.hpp). Arithmetic does not produce it.
template <class T>
inline constexpr bits_of_size<sizeof(T)> mark_of_infinity =
    static_cast<bits_of_size<sizeof(T)>>(sizeof(T) == 4 ? 0x7ff57073 : 0x7ff8757073776570);

/// True when converting `From` to `To` may change a value by more than rounding: floating-point
/// numbers to integers or to a smaller format, integers to a type that does not hold all of their
/// values. `bool` is exempt on both sides.
template <class From, class To>
inline constexpr bool narrows = [] {
  if constexpr (std::is_same_v<From, bool> || std::is_same_v<To, bool>)
    return false;
  else if constexpr (is_float<From>)
    return is_integer<To> || (is_float<To> && sizeof(To) < sizeof(From));
  else if constexpr (is_integer<From> && is_integer<To>)
    return has_sign<From> > has_sign<To> ||
           8 * sizeof(To) - has_sign<To> < 8 * sizeof(From) - has_sign<From>;
  else
    return false;
}();

template <class T>
struct widened_of {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) <= 8)
struct widened_of<T> {
  using type = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
};
template <class T>
  requires is_narrow_float<T>
struct widened_of<T> {
  using type = float;
};
/// The accumulator of a sum or product of elements of type `T`.
template <class T>
using widened_t = typename widened_of<T>::type;

/// The accumulator of operators that select one of their operands: the element itself, or float for
/// the 16-bit formats.
template <class T>
using selected_t = std::conditional_t<is_narrow_float<T>, float, T>;

template <class T>
struct unsigned_of {
  using type = T;
};
template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
struct unsigned_of<T> {
  using type = std::make_unsigned_t<T>;
};
template <>
struct unsigned_of<int128> {
  using type = uint128;
};

}  // namespace detail

}  // namespace upsweep
UPSWEEP_IEEE_END
