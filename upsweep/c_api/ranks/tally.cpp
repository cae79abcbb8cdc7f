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

tally& tally::operator=(tally const& from) {
  n = from.n;
  nan = from.nan;
  plus_infinity = from.plus_infinity;
  minus_infinity = from.minus_infinity;
  other = from.other;
  type = from.type;
  begin = from.begin;
  end = from.end;
  std::copy(from.limb.begin() + begin, from.limb.begin() + end, limb.begin() + begin);
  return *this;
}

void tally::reach(std::size_t from, std::size_t to) {
  if (begin == end) begin = end = from;
  if (from < begin) std::fill(limb.begin() + from, limb.begin() + begin, 0);
  if (to > end) std::fill(limb.begin() + end, limb.begin() + to, 0);
  begin = std::min(begin, from);
  end = std::max(end, to);
}

void tally::trim() {
  while (begin < end && limb[end - 1] == 0) --end;
  while (begin < end && limb[begin] == 0) ++begin;
}

bool tally::make_magnitude() {
  if (begin == end) return false;
  reach(begin, std::min(end + 1, limb_count));  // for the carry
  bool const negative = limbs::make_magnitude(part());
  trim();
  return negative;
}
void tally::make_canonical() {
  if (!make_magnitude()) return;
  for (auto& x : part()) x = -x;
}

std::array<std::int64_t, tally::limb_count> tally::all_limbs() const {
  std::array<std::int64_t, limb_count> all{};
  std::copy(limb.begin() + begin, limb.begin() + end, all.begin() + begin);
  return all;
}
void tally::set_all_limbs(std::array<std::int64_t, limb_count> const& all) {
  begin = 0;
  end = limb_count;
  limb = all;
  trim();
}

void tally::add(tally const& from) {
  n += from.n;
  nan += from.nan;
  plus_infinity += from.plus_infinity;
  minus_infinity += from.minus_infinity;
  other += from.other;
  if (from.begin == from.end) return;
  reach(from.begin, from.end);
  for (std::size_t i = from.begin; i < from.end; ++i) limb[i] += from.limb[i];
}

void tally::add(detail::superaccumulator<double> const& sum, std::size_t from) {
  if (sum.notes() != 0 && sum.kind() != sum.negative_zero) ++other;
  if (!sum.is_number() || sum.first_word() >= sum.end_word()) return;
  reach(from + 2 * static_cast<std::size_t>(sum.first_word()),
        from + 2 * static_cast<std::size_t>(sum.end_word()));
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
  position = std::max(position, 0);
  auto const at = static_cast<std::size_t>(position / 32);
  reach(at, std::min(at + limbs::touched, limb_count));
  limbs::add(limb, product, position, std::signbit(x) != std::signbit(y));
  ++other;
}

void tally::add_integer(int128 x) {
  reach(first, first + limbs::touched);
  limbs::add(limb, x, -integer_unit);
}

void tally::note_special(double x) {
  nan += std::isnan(x) ? 1 : 0;
  plus_infinity += std::isinf(x) && x > 0 ? 1 : 0;
  minus_infinity += std::isinf(x) && x < 0 ? 1 : 0;
}

void tally::add_uses(bool wants_counts, std::int64_t* to) const {
  bool const is_negative_zero = n > 0 && other == 0;
  auto const use = [&](std::size_t column, bool is_used) { to[column] += is_used ? 1 : 0; };
  use(0, wants_counts || is_negative_zero);
  use(1, nan != 0);
  use(2, plus_infinity != 0);
  use(3, minus_infinity != 0);
  use(4, is_negative_zero);
  for (std::size_t i = std::max(begin, first); i < std::min(end, middle_end); ++i)
    use(counters + i - first, limb[i] != 0);
}

std::int64_t tally::column(std::size_t i) const {
  switch (i) {
    case 0:
      return n;
    case 1:
      return nan;
    case 2:
      return plus_infinity;
    case 3:
      return minus_infinity;
    case 4:
      return other;
    default:
      return limb_at(limb_of(i));
  }
}

void tally::read(std::span<std::uint8_t const> sent, std::int64_t const* from) {
  std::int64_t* const counter[counters] = {&n, &nan, &plus_infinity, &minus_infinity, &other};
  other = 1;  // if it is not sent
  std::size_t k = 0;
  for (; k < sent.size() && sent[k] < counters; ++k) *counter[sent[k]] = from[k];
  if (k == sent.size()) return;
  reach(limb_of(sent[k]), limb_of(sent.back()) + 1);
  for (; k < sent.size(); ++k) limb[limb_of(sent[k])] = from[k];
  trim();
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
  tally x = *this;
  bool const negative = x.make_magnitude();
  int const unit = (is_real() ? real_unit : integer_unit) + 32 * static_cast<int>(x.begin);
  return limbs::rounded(x.part(), negative, unit, digits);
}

}  // namespace upsweep::c_api
