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

void add(number x, uint128 magnitude, int position, bool negative) {
  auto const at = static_cast<std::size_t>(position / 32);
  int const shift = position % 32;
  // The shifted magnitude may have more than 128 bits.
  for (std::size_t i = 0; i < touched; ++i) {
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
  std::size_t end = x.size();
  while (end > 0 && x[end - 1] == 0) --end;
  if (end == 0) return negative ? -0.0 : 0.0;
  // The highest three limbs, of which the first is not 0, hold 65 bits of the magnitude or more.
  uint128 window = 0;
  for (std::size_t i = 1; i <= 3; ++i)
    window = window << 32 | static_cast<std::uint64_t>(i <= end ? x[end - i] : 0);
  unit += 32 * (static_cast<int>(end) - 3);
  // The last bit of the result is no smaller than the smallest subnormal.
  int const top = 127 - std::countl_zero(static_cast<std::uint64_t>(window >> 64));
  int const last = std::max(top - digits + 1, (digits == 53 ? -1074 : -149) - unit);
  if (last > top + 1) return negative ? -0.0 : 0.0;  // less than half of that
  auto kept = static_cast<std::uint64_t>(window >> last);
  uint128 const half = uint128{1} << (last - 1), dropped = window & (2 * half - 1);
  bool const has_rest =
      (dropped & (half - 1)) != 0 ||
      std::ranges::any_of(x.first(end > 3 ? end - 3 : 0), [](auto l) { return l != 0; });
  if (dropped >= half && (has_rest || (kept & 1) != 0)) ++kept;
  double const result = std::ldexp(static_cast<double>(kept), last + unit);
  return negative ? -result : result;
}

}  // namespace upsweep::c_api::limbs
