/// Integers of many limbs: what the exact sums of ranks become before they are rounded.
#include <upsweep/c_api/ranks/limbs.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace upsweep::c_api::limbs {

namespace {

constexpr std::int64_t low_half = 0xffffffff;

void negate(number x) {
  for (auto& limb : x) limb = -limb;
}

/// The limbs that a number uses, and one above for their carry, which 32 bits can hold.
number used(number x) {
  auto const is_set = [](std::int64_t limb) { return limb != 0; };
  auto const first = std::find_if(x.begin(), x.end(), is_set);
  auto const end = std::find_if(x.rbegin(), std::make_reverse_iterator(first), is_set).base();
  return {first, end == x.end() ? end : end + 1};
}

/// Whether bit `i` of a magnitude is set.
bool bit(std::span<std::int64_t const> x, std::int64_t i) {
  return i >= 0 && (x[static_cast<std::size_t>(i / 32)] >> (i % 32) & 1) != 0;
}

/// Whether a bit below number `end` is set.
bool any_below(std::span<std::int64_t const> x, std::int64_t end) {
  if (end <= 0) return false;
  auto const whole = static_cast<std::size_t>(end / 32);
  return std::ranges::any_of(x.first(whole), [](std::int64_t limb) { return limb != 0; }) ||
         (x[whole] & ((std::int64_t{1} << end % 32) - 1)) != 0;
}

}  // namespace

void carry(number x) {
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    x[i + 1] += x[i] >> 32;
    x[i] &= low_half;
  }
}

bool make_magnitude(number all) {
  number const x = used(all);
  carry(x);
  if (x.empty() || x.back() >= 0) return false;
  negate(x);
  carry(x);
  return true;
}

void make_canonical(number x) {
  if (make_magnitude(x)) negate(used(x));
}

void add(number x, uint128 magnitude, int position, bool negative) {
  auto const at = static_cast<std::size_t>(position / 32);
  int const shift = position % 32;
  // The shifted magnitude may have more than 128 bits.
  for (std::size_t i = 0; i < 5; ++i) {
    auto const part = i == 0   ? magnitude << shift
                      : shift  ? magnitude >> (32 * i - static_cast<std::size_t>(shift))
                      : i == 4 ? uint128{0}
                               : magnitude >> 32 * i;
    auto const digit = static_cast<std::int64_t>(static_cast<std::uint64_t>(part) & low_half);
    if (at + i < x.size()) x[at + i] += negative ? -digit : digit;
  }
}

void multiply(std::span<std::int64_t const> x, std::span<std::int64_t const> y, number z) {
  std::ranges::fill(z, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == 0) continue;
    std::uint64_t over = 0;
    for (std::size_t j = 0; j < y.size(); ++j) {
      auto const sum = static_cast<std::uint64_t>(x[i]) * static_cast<std::uint64_t>(y[j]) +
                       static_cast<std::uint64_t>(z[i + j]) + over;
      z[i + j] = static_cast<std::int64_t>(sum & low_half);
      over = sum >> 32;
    }
    z[i + y.size()] = static_cast<std::int64_t>(over);
  }
}

void divide(number x, std::uint64_t n) {
  uint128 remainder = 0;
  for (std::size_t i = x.size(); i-- > 0;) {
    uint128 const dividend = remainder << 32 | static_cast<std::uint64_t>(x[i]);
    x[i] = static_cast<std::int64_t>(dividend / n);
    remainder = dividend % n;
  }
}

double rounded(std::span<std::int64_t const> x, bool negative, int unit, int digits) {
  std::size_t top_limb = x.size() - 1;
  while (top_limb > 0 && x[top_limb] == 0) --top_limb;
  if (x[top_limb] == 0) return negative ? -0.0 : 0.0;
  // The highest bit that is set, and the last bit of the result, no smaller than the smallest
  // subnormal.
  auto const top = static_cast<std::int64_t>(32 * top_limb) + 63 -
                   std::countl_zero(static_cast<std::uint64_t>(x[top_limb]));
  int const smallest = digits == 53 ? -1074 : -149;
  std::int64_t const last = std::max<std::int64_t>(top - digits + 1, smallest - unit);
  std::uint64_t kept = 0;
  for (std::int64_t i = top; i >= last; --i) kept = 2 * kept + (bit(x, i) ? 1 : 0);
  if (bit(x, last - 1) && (any_below(x, last - 1) || (kept & 1) != 0)) ++kept;
  double const result = std::ldexp(static_cast<double>(kept), static_cast<int>(last) + unit);
  return negative ? -result : result;
}

}  // namespace upsweep::c_api::limbs
