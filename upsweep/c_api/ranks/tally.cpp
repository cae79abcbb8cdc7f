/// Exact sums as integers, and their rounding.
#include <upsweep/c_api/ranks/tally.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace upsweep::c_api {

namespace {
constexpr std::uint64_t low_half = 0xffffffff;
}

void tally::add(tally const& from) {
  n += from.n;
  nan += from.nan;
  plus_infinity += from.plus_infinity;
  minus_infinity += from.minus_infinity;
  other += from.other;
  for (std::size_t i = 0; i < limb_count; ++i) limb[i] += from.limb[i];
}

void tally::add(detail::superaccumulator<double> const& sum, std::size_t from) {
  if (sum.notes() != 0 && sum.kind() != sum.negative_zero) ++other;
  if (!sum.is_number()) return;
  for (int i = sum.first_word(); i < sum.end_word(); ++i) {
    std::uint64_t const word = sum.word(i);
    std::size_t const at = from + 2 * static_cast<std::size_t>(i);
    limb[at] += static_cast<std::int64_t>(word & low_half);
    // The last word has the sign.
    limb[at + 1] += i + 1 == sum.end_word() ? static_cast<std::int64_t>(word) >> 32
                                            : static_cast<std::int64_t>(word >> 32);
  }
}

void tally::add_product(double x, double y) {
  int ex = 0, ey = 0;
  auto const mx = static_cast<std::int64_t>(std::ldexp(std::frexp(std::fabs(x), &ex), 53));
  auto const my = static_cast<std::int64_t>(std::ldexp(std::frexp(std::fabs(y), &ey), 53));
  uint128 product = static_cast<uint128>(mx) * static_cast<uint128>(my);
  int position = ex + ey - 106 - real_unit;
  // Subnormals have zeros at the end, below the first limb.
  if (position < 0) product >>= -position;
  limbs::add(limb, product, std::max(position, 0), std::signbit(x) != std::signbit(y));
  ++other;
}

void tally::note_special(double x) {
  nan += std::isnan(x) ? 1 : 0;
  plus_infinity += std::isinf(x) && x > 0 ? 1 : 0;
  minus_infinity += std::isinf(x) && x < 0 ? 1 : 0;
}

bool tally::is_wide() const {
  auto const is_set = [](std::int64_t x) { return x != 0; };
  return std::any_of(limb.begin(), limb.begin() + first, is_set) ||
         std::any_of(limb.begin() + behind, limb.end(), is_set);
}

void tally::write(std::span<std::int64_t> to) const {
  std::ranges::copy(std::array{n, nan, plus_infinity, minus_infinity, other}, to.begin());
  std::copy(limb.begin() + first, limb.begin() + behind, to.begin() + counters);
}
void tally::read(std::span<std::int64_t const> from) {
  n = from[0];
  nan = from[1];
  plus_infinity = from[2];
  minus_infinity = from[3];
  other = from[4];
  std::copy(from.begin() + counters, from.begin() + message, limb.begin() + first);
}

double tally::special() const {
  double const infinity = std::numeric_limits<double>::infinity();
  if (nan > 0 || (plus_infinity > 0 && minus_infinity > 0))
    return std::numeric_limits<double>::quiet_NaN();
  return plus_infinity > 0 ? infinity : -infinity;
}

double tally::rounded(int digits) const {
  if (is_special()) return special();
  if (is_real() && n > 0 && other == 0) return -0.0;
  auto x = limb;
  bool const negative = limbs::make_magnitude(x);
  return limbs::rounded(x, negative, is_real() ? real_unit : integer_unit, digits);
}

}  // namespace upsweep::c_api
