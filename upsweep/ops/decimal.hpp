/// Decimal numbers as they are written, with exact sums, exact products and means: 0.10 + 0.20 -
/// 0.30 is 0.00.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/core/number_types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep {

/// The number units / 10^scale. The scale is the number of digits after the decimal point.
struct decimal {
  static constexpr char const* name = "decimal";  ///< in the bytes of a partial
  int128 units = 0;
  std::uint32_t scale = 0;
  /// False for more than 38 digits, which only changed bytes can contain.
  [[nodiscard]] UPSWEEP_BOTH constexpr bool is_valid() const;
  friend bool operator==(decimal const&, decimal const&) = default;
};

namespace detail {

/// The decimals have at most 38 digits, which an int128 always holds.
inline constexpr std::uint32_t most_decimal_digits = 38;

inline constexpr auto powers_of_ten = [] {
  std::array<int128, most_decimal_digits + 1> powers{1};
  for (std::size_t n = 1; n < powers.size(); ++n) powers[n] = 10 * powers[n - 1];
  return powers;
}();
/// Units of a decimal are less. Device code may use this number, but not the array's functions.
inline constexpr int128 decimal_limit = powers_of_ten[most_decimal_digits];

inline UPSWEEP_BOTH constexpr bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace detail

UPSWEEP_BOTH constexpr bool decimal::is_valid() const {
  return scale <= detail::most_decimal_digits && -detail::decimal_limit < units &&
         units < detail::decimal_limit;
}

/// Reads a number such as 12, -0.50, +.5 or 1e3, without blanks. Returns nothing if `text` is not a
/// number or has more than 38 digits.
[[nodiscard]] inline std::optional<decimal> parse_decimal(std::string_view text) {
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  decimal found;
  std::int64_t scale = 0;
  bool any = false, after_point = false;
  auto const goes_on = [&](char c) {
    return detail::is_decimal_digit(c) || (c == '.' && !after_point);
  };
  std::uint64_t head = 0;  // the first digits
  for (; !text.empty() && goes_on(text[0]) && head < 1'000'000'000'000'000'000;
       text.remove_prefix(1)) {
    any = any || text[0] != '.';
    scale += after_point;
    if (text[0] == '.')
      after_point = true;
    else
      head = 10 * head + static_cast<std::uint64_t>(text[0] - '0');
  }
  found.units = head;
  while (!text.empty() && goes_on(text[0])) {
    char const c = text[0];
    text.remove_prefix(1);
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (found.units >= detail::powers_of_ten[detail::most_decimal_digits - 1]) return {};
    found.units = 10 * found.units + (c - '0');
    scale += after_point;
    any = true;
  }
  if (!any) return {};
  if (!text.empty()) {
    if (text[0] != 'e' && text[0] != 'E') return {};
    text.remove_prefix(1);
    bool const down = text.starts_with('-');
    if (down || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.size() > 3 || !std::ranges::all_of(text, detail::is_decimal_digit))
      return {};
    std::int64_t exponent = 0;
    for (char const c : text) exponent = 10 * exponent + (c - '0');
    scale += down ? exponent : -exponent;
  }
  for (; scale < 0; ++scale) {
    if (found.units >= detail::powers_of_ten[detail::most_decimal_digits - 1]) return {};
    found.units *= 10;
  }
  if (scale > detail::most_decimal_digits) return {};
  found.scale = static_cast<std::uint32_t>(scale);
  if (negative) found.units = -found.units;
  return found;
}

/// Writes the number with all digits of its scale: "-0.50".
[[nodiscard]] inline std::string to_string(decimal const& x) {
  std::string text;  // from its end
  int128 left = x.units < 0 ? -x.units : x.units;
  std::uint32_t digits = 0;
  do {
    if (digits == x.scale && digits > 0) text += '.';
    text += static_cast<char>('0' + static_cast<int>(left % 10));
    left /= 10;
    ++digits;
  } while (left > 0 || digits <= x.scale);
  if (x.units < 0) text += '-';
  std::ranges::reverse(text);
  return text;
}

/// Exact sum of decimals, at the largest scale of the elements. It is the same in any order and
/// grouping. Throws precondition_error if an intermediate sum has more than 38 digits.
struct decimal_sum {
  static constexpr char const* name = "decimal-sum";
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  [[nodiscard]] UPSWEEP_BOTH constexpr decimal identity() const { return {}; }
  [[nodiscard]] decimal operator()(decimal a, decimal b) const {
    if (a.scale < b.scale) std::swap(a, b);
    std::uint32_t const shift = a.scale - b.scale;
    int128 const least = detail::powers_of_ten[detail::most_decimal_digits - shift];
    if (b.units >= least || b.units <= -least) overflows();
    constexpr int128 limit = detail::decimal_limit;
    int128 sum = 0;
    if (__builtin_add_overflow(a.units, b.units * detail::powers_of_ten[shift], &sum) ||
        sum >= limit || sum <= -limit)
      overflows();
    return {sum, a.scale};
  }

 private:
  [[noreturn]] static void overflows() {
    detail::fail("decimal_sum: a sum has more than 38 digits");
  }
};

/// Exact product of decimals, whose scale is the sum of their scales: 1.10 * 1.10 is 1.2100. It is
/// the same in any order and grouping. Throws precondition_error if an intermediate product has
/// more than 38 digits, including zeros after the decimal point.
struct decimal_product {
  static constexpr char const* name = "decimal-product";
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  [[nodiscard]] UPSWEEP_BOTH constexpr decimal identity() const { return {1, 0}; }
  [[nodiscard]] decimal operator()(decimal const& a, decimal const& b) const {
    constexpr int128 most = detail::decimal_limit - 1;
    int128 const size = b.units < 0 ? -b.units : b.units;
    int128 const limit = size == 0 ? most : most / size;  // __builtin_mul_overflow needs a library
    if (a.units > limit || a.units < -limit || a.scale + b.scale > detail::most_decimal_digits)
      detail::fail("decimal_product: a product has more than 38 digits");
    return {a.units * b.units, a.scale + b.scale};
  }
};

/// The accumulator of decimal_mean: the exact sum and the number of elements.
struct decimal_total {
  decimal sum{};
  std::uint64_t count = 0;
  friend bool operator==(decimal_total const&, decimal_total const&) = default;
};

/// Mean of decimals, from the exact sum. A mean with finitely many digits has all of them, up to 38
/// (1/8 is 0.125), and at least as many as the largest scale of the elements. Another one has six
/// more digits than that scale, the last one rounded to nearest (2/3 is 0.666667). Throws
/// precondition_error as decimal_sum does, and for no elements.
struct decimal_mean {
  static constexpr char const* name = "decimal-mean";
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  static constexpr bool refuses_empty = true;
  template <class>
  using accumulator = decimal_total;

  [[nodiscard]] UPSWEEP_BOTH constexpr decimal_total identity() const { return {}; }
  [[nodiscard]] UPSWEEP_BOTH constexpr decimal_total lift(decimal const& x) const { return {x, 1}; }
  [[nodiscard]] decimal_total operator()(decimal_total const& a, decimal_total const& b) const {
    return {decimal_sum{}(a.sum, b.sum), a.count + b.count};
  }
  [[nodiscard]] decimal finish(decimal_total const& total) const {
    if (total.count == 0)
      detail::fail(
          "decimal_mean: the mean of no elements is undefined; test for an empty input first");
    auto const count = static_cast<int128>(total.count);
    int128 left = total.sum.units < 0 ? -total.sum.units : total.sum.units;
    decimal mean{left / count, total.sum.scale};
    left %= count;
    int more = is_finite(left, total.count) ? static_cast<int>(detail::most_decimal_digits) : 6;
    for (; left > 0 && more > 0 && has_room(mean); --more) {
      mean.units = 10 * mean.units + 10 * left / count;
      left = 10 * left % count;
      ++mean.scale;
    }
    mean.units += 2 * left > count || (2 * left == count && mean.units % 2 != 0);
    if (total.sum.units < 0) mean.units = -mean.units;
    return mean;
  }

 private:
  /// Whether left / count has finitely many digits: 2 and 5 alone divide the reduced count.
  static bool is_finite(int128 left, std::uint64_t count) {
    count /= std::gcd(static_cast<std::uint64_t>(left), count);
    for (unsigned const prime : {2U, 5U})
      while (count % prime == 0) count /= prime;
    return count == 1;
  }
  /// For another digit.
  static bool has_room(decimal const& x) {
    return x.scale < detail::most_decimal_digits &&
           x.units < detail::powers_of_ten[detail::most_decimal_digits - 1];
  }
};

}  // namespace upsweep
