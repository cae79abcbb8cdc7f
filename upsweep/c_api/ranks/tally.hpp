/// The exact sum of a field as integers of many limbs, which ranks add.
#pragma once

#include <upsweep/c_api/ranks/arrays.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/exact_sum_state.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::c_api::limbs {

/// The limb i counts 2^(32 i) units. Between operations limbs may have any 64-bit value.
using number = std::span<std::int64_t>;

/// All limbs but the last become 0 to 2^32 - 1.
void carry(number x);
/// x becomes its magnitude, with all limbs in 0 to 2^32 - 1; returns whether it was negative.
bool make_magnitude(number x);
/// x += +-magnitude * 2^position units, in this many limbs from position / 32 on.
inline constexpr std::size_t touched = 5;
void add(number x, uint128 magnitude, int position, bool negative);
/// x += value * 2^position units.
inline void add(number x, int128 value, int position) {
  auto const bits = static_cast<uint128>(value);
  add(x, value < 0 ? 0 - bits : bits, position, value < 0);
}
/// z = x y, of magnitudes; z has as many limbs as both together.
void multiply(std::span<std::int64_t const> x, std::span<std::int64_t const> y, number z);
/// x = x / n, rounded down, of a magnitude.
void divide(number x, std::uint64_t n);
/// +-x 2^unit, of a magnitude, as the nearest number of 53 or 24 digits, ties to even.
[[nodiscard]] double rounded(std::span<std::int64_t const> x, bool negative, int unit, int digits);

}  // namespace upsweep::c_api::limbs

namespace upsweep::c_api {

/// A sum counts 2^unit in limbs of 32 bits, each in 64 bits, so that additions of 2^31 ranks cannot
/// overflow. The limbs in the middle hold every sum of numbers; the others are for products that
/// are too small or too large for a number. Limbs in [begin, end) are stored, all others are 0: a
/// sum of few elements, of which a call may have hundreds, costs only what it uses.
struct tally {
  static constexpr std::size_t limb_count = 137, first = 34, middle = 68,
                               middle_end = first + middle;
  static constexpr int real_unit = -1074 - 32 * static_cast<int>(first);
  static constexpr int integer_unit = -32 * static_cast<int>(first);

  std::int64_t n = 0, nan = 0, plus_infinity = 0, minus_infinity = 0;
  std::int64_t other = 0;  // not 0 if an element is not -0
  upsweep_type type = UPSWEEP_F64;
  std::size_t begin = 0, end = 0;
  std::array<std::int64_t, limb_count> limb;  // not initialized

  tally() {}  // NOLINT(modernize-use-equals-default): else limbs of {} are cleared
  explicit tally(upsweep_type of) : type(of) {}
  tally(tally const& from) { *this = from; }
  tally& operator=(tally const& from);
  ~tally() = default;

  [[nodiscard]] bool is_real() const { return c_api::is_real(type); }
  [[nodiscard]] bool is_special() const { return nan + plus_infinity + minus_infinity > 0; }
  [[nodiscard]] int digits() const { return type == UPSWEEP_F32 ? 24 : 53; }

  void add(tally const& from);
  /// `at` is the limb of the sum's last bit.
  void add(detail::superaccumulator<double> const& sum, std::size_t at = first);
  /// Adds the exact product of two finite numbers that are not 0.
  void add_product(double x, double y);
  /// Adds an integer.
  void add_integer(int128 x);
  void note_special(double x);

  /// Stores at least these limbs, too.
  void reach(std::size_t from, std::size_t to);
  [[nodiscard]] limbs::number part() { return limbs::number(limb).subspan(begin, end - begin); }
  [[nodiscard]] std::int64_t limb_at(std::size_t i) const {
    return i >= begin && i < end ? limb[i] : 0;
  }
  [[nodiscard]] std::array<std::int64_t, limb_count> all_limbs() const;
  void set_all_limbs(std::array<std::int64_t, limb_count> const& all);
  /// Stores no zeros at the ends.
  void trim();
  /// As the functions of limbs.
  bool make_magnitude();
  void make_canonical();

  /// Whether a limb outside of the middle is not 0, after make_canonical.
  [[nodiscard]] bool is_wide() const { return begin < end && (begin < first || end > middle_end); }
  /// The columns of a message: the counters and the middle limbs.
  static constexpr std::size_t counters = 5, columns = counters + middle;
  [[nodiscard]] static constexpr std::size_t limb_of(std::size_t column) {
    return first + column - counters;
  }
  /// Adds 1 to each column on which the result depends: limbs and counters of what is not finite
  /// that are not 0, n if a caller wants counts, and n and `other` if all elements here are -0.
  void add_uses(bool wants_counts, std::int64_t* to) const;
  [[nodiscard]] std::int64_t column(std::size_t i) const;
  /// Becomes the sum of all ranks, of which these columns, in order, were sent. The others are 0 on
  /// all ranks.
  void read(std::span<std::uint8_t const> sent, std::int64_t const* from);

  /// The sum of NaN and infinities.
  [[nodiscard]] double special() const;
  /// The sum, rounded to 53 or 24 digits.
  [[nodiscard]] double rounded(int digits) const;
  [[nodiscard]] upsweep_element_counts counts() const {
    return {n, nan, plus_infinity, minus_infinity};
  }
};

/// The sum of a checked field in the host's memory, on this many threads (0: all, -1: as
/// OMP_NUM_THREADS says).
[[nodiscard]] tally tally_of(upsweep_field const& field, int threads);

/// The first element whose key is least, on this rank.
struct extremum {
  static constexpr std::int64_t no_position = INT64_MAX;
  tally counts;
  std::int64_t key = INT64_MAX, position = no_position;
};
/// Keys are integers in the order of the elements, for `largest` in the opposite one; that of NaN
/// is the first. `index` may be NULL.
[[nodiscard]] extremum extremum_of(upsweep_field const& field, upsweep_array const* index,
                                   bool largest);
inline constexpr std::int64_t nan_key = INT64_MIN;
[[nodiscard]] UPSWEEP_BOTH inline std::int64_t key_of(std::int64_t x, bool largest) {
  return largest ? ~x : x;
}
/// An integer for each number, in the order of the numbers, where -0 < +0.
[[nodiscard]] UPSWEEP_BOTH inline std::int64_t key_of(double x, bool largest) {
  if (x != x) return nan_key;
  auto const bits = std::bit_cast<std::int64_t>(x);
  return key_of(bits < 0 ? bits ^ INT64_MAX : bits, largest);
}
/// The element of a key, stored as the type.
void write_key(std::int64_t key, upsweep_type type, bool largest, void* out);

}  // namespace upsweep::c_api
