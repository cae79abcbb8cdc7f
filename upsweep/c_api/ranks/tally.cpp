/// Exact sums as integers, and their rounding; the smallest and the largest element of one rank, by
/// keys that ranks can compare as integers.
#include <upsweep/c_api/ranks/tally.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

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

// Integers of many limbs, and their rounding.
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

namespace upsweep::c_api {

namespace {

template <class T>
void store(T x, void* out) {
  *static_cast<T*>(out) = x;
}

}  // namespace

extremum extremum_of(upsweep_field const& field, upsweep_array const* index, bool largest) {
  constexpr std::int64_t chunk = array_reader::chunk;
  array_reader const values(field.values);
  bool const has_mask = is_there(field.mask), is_real = c_api::is_real(field.values.type);
  array_reader const mask(has_mask ? field.mask : field.values, values.size());
  array_reader const numbers(index ? *index : field.values, values.size());
  extremum best;
  best.counts.type = field.values.type;
  double x[chunk];
  std::int64_t key[chunk], number[chunk];
  std::uint8_t keep[chunk];
  for (std::int64_t first = 0; first < values.size(); first += chunk) {
    auto const n = static_cast<std::size_t>(std::min(chunk, values.size() - first));
    if (is_real) {
      values.read(first, n, x);
      for (std::size_t i = 0; i < n; ++i) key[i] = key_of(x[i], largest);
    } else {
      values.read(first, n, key);
      for (std::size_t i = 0; i < n; ++i) key[i] = key_of(key[i], largest);
    }
    std::fill_n(keep, n, std::uint8_t{1});
    if (has_mask) mask.read_mask(first, n, keep);
    if (index) numbers.read(first, n, number);
    for (std::size_t i = 0; i < n; ++i) {
      if (keep[i] == 0) continue;
      ++best.counts.n;
      if (is_real && !std::isfinite(x[i])) best.counts.note_special(x[i]);
      std::int64_t const at = index ? number[i] : first + static_cast<std::int64_t>(i);
      // The greatest integer has the key of no element: its position decides.
      if (key[i] > best.key || (key[i] == best.key && at >= best.position)) continue;
      best.key = key[i];
      best.position = at;
    }
  }
  return best;
}

void write_key(std::int64_t key, upsweep_type type, bool largest, void* out) {
  bool const is_nan = is_real(type) && key == nan_key;
  if (largest && !is_nan) key = ~key;
  if (type == UPSWEEP_I64) return store(key, out);
  if (type == UPSWEEP_I32) return store(static_cast<std::int32_t>(key), out);
  double const x = is_nan ? std::numeric_limits<double>::quiet_NaN()
                          : std::bit_cast<double>(key < 0 ? key ^ INT64_MAX : key);
  if (type == UPSWEEP_F64) return store(x, out);
  store(static_cast<float>(x), out);
}

}  // namespace upsweep::c_api
