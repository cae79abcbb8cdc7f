/// Running results down columns, for tensors.
#include <simd/every_target.hpp>
#include <support/bits.hpp>
#include <support/lane_types.hpp>
#include <support/message.hpp>
#include <support/random.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/portable_math.hpp>
#include <upsweep/host/running_columns.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

// Logarithms of running sums of exponentials against their definition, with every SIMD target.

constexpr double unbounded = std::numeric_limits<double>::infinity();

double product_of(double x, double y) {
  double volatile const p = x * y;  // rounded before it is added
  return p;
}
/// x - m, and 0 where they are equal, also if they are infinite.
double difference(double x, double m) {
  return x == m ? 0 : x - m;
}

/// h -> a h + b
struct map {
  double a, b;
};
/// The map of an aligned block of the combine tree.
map block(std::vector<map> const& x, std::size_t begin, std::size_t size) {
  if (size == 1) return x[begin];
  map const left = block(x, begin, size / 2), right = block(x, begin + size / 2, size / 2);
  return {product_of(right.a, left.a), product_of(right.a, left.b) + right.b};
}

/// The sums up to each element: blocks of 256 one after another, and in a block the largest first.
std::vector<double> sums_of(std::vector<map> const& x) {
  std::vector<double> sums;
  double state = 0;
  for (std::size_t m = 1; m <= x.size(); ++m) {
    std::size_t const first = (m - 1) / 256 * 256;
    double h = state;
    for (std::size_t at = first, size = 256; size > 0; size /= 2)
      if (at + size <= m) {
        map const total = block(x, at, size);
        h = product_of(total.a, h) + total.b;
        at += size;
      }
    sums.push_back(h);
    if (m % 256 == 0) state = h;
  }
  return sums;
}

template <class T>
std::vector<T> by_definition(std::vector<T> const& x) {
  std::vector<double> maxima;
  std::vector<map> maps;
  double before = -unbounded;
  for (double const e : x) {
    double const m = std::isnan(before) || e <= before ? before : e;
    double const term = upsweep::detail::portable::exp(difference(e, m));
    maps.push_back(
        {upsweep::detail::portable::exp(difference(before, m)), m == -unbounded ? 0 : term});
    maxima.push_back(before = m);
  }
  auto const sums = sums_of(maps);
  std::vector<T> y;
  for (std::size_t i = 0; i < x.size(); ++i)
    y.push_back(static_cast<T>(maxima[i] + upsweep::detail::portable::log(sums[i])));
  return y;
}

/// Numbers of several sizes; in some columns special values, too.
template <class T>
T element(std::size_t column, random_bits& next) {
  T const nan = std::numeric_limits<T>::quiet_NaN(), infinite = static_cast<T>(unbounded),
          tiny = std::numeric_limits<T>::denorm_min();
  T const x = static_cast<T>(static_cast<double>(next.below(1u << 20)) * 0x1p-17 - 4);
  auto const kind = next.below(400);
  if (kind < 20) return x * 100;
  if (kind < 24) return kind < 22 ? T(0) : -T(0);
  if (kind == 24) return tiny;
  if (column % 4 == 1 && kind < 150) return -infinite;
  if (column % 8 == 2 && kind == 30) return infinite;
  if (column % 8 == 3 && kind == 30) return nan;
  return x;
}

struct shape {
  std::size_t matrices, rows, columns;
};

template <class T>
class some_matrices {
 public:
  explicit some_matrices(shape const& s) : s_(s) {
    random_bits next(test_seed() + s.rows);
    for (std::size_t i = 0; i < size(); ++i) x_.push_back(element<T>(column_of(i), next));
    if (s.matrices * s.columns < 5 || s.rows < 2) return;
    std::size_t const m = s.matrices - 1, c = s.columns - 1;  // a column with NaN after nothing
    x_[at(m, 0, c, false)] = -std::numeric_limits<T>::infinity();
    x_[at(m, 1, c, false)] = std::numeric_limits<T>::quiet_NaN();
  }
  void expect(int threads, bool reverse) const {
    std::vector<T> y = x_;  // in place
    host::run({.threads = threads},
              host::running_log_sums{lane_type_of<T>, y.data(), y.data(), s_.matrices, s_.rows,
                                     s_.columns, reverse});
    for (std::size_t m = 0; m < s_.matrices; ++m)
      for (std::size_t c = 0; c < s_.columns; ++c) {
        std::vector<T> line;
        for (std::size_t r = 0; r < s_.rows; ++r) line.push_back(x_[at(m, r, c, reverse)]);
        auto const want = by_definition(line);
        for (std::size_t r = 0; r < s_.rows; ++r) {
          T const got = y[at(m, r, c, reverse)];
          ASSERT_TRUE(same_bits(got, want[r]))
              << "matrix " << m << ", row " << r << ", column " << c << ": " << shown(got)
              << " is not " << shown(want[r]);
        }
      }
  }

 private:
  [[nodiscard]] std::size_t size() const { return s_.matrices * s_.rows * s_.columns; }
  [[nodiscard]] std::size_t column_of(std::size_t i) const {
    return i % s_.columns + (s_.columns == 1 ? i / s_.rows : 0);
  }
  [[nodiscard]] std::size_t at(std::size_t m, std::size_t r, std::size_t c, bool reverse) const {
    return (m * s_.rows + (reverse ? s_.rows - 1 - r : r)) * s_.columns + c;
  }

  shape s_;
  std::vector<T> x_;
};

template <class T>
class running_log_sums : public testing::Test {};
using types = testing::Types<float, double>;
TYPED_TEST_SUITE(running_log_sums, types);

TYPED_TEST(running_log_sums, have_the_bits_of_their_definition) {
  for (shape const& s : {shape{2, 0, 3}, shape{1, 1, 1}, shape{3, 2, 5}, shape{1, 700, 1},
                         shape{2, 63, 17}, shape{5, 64, 1}, shape{1, 65, 40}, shape{2, 256, 3},
                         shape{40, 320, 1}, shape{19, 130, 1}, shape{1, 600, 16}}) {
    SCOPED_TRACE(testing::Message() << s.matrices << " matrices of " << s.rows << " rows and "
                                    << s.columns << " columns, " << seed_note());
    some_matrices<TypeParam> const matrices(s);
    for_each_target([&] {
      for (int const threads : {1, 3})
        for (bool const reverse : {false, true}) matrices.expect(threads, reverse);
    });
  }
}

// Running maxima with their positions against a plain loop over each column.

/// The last position up to `row` of the largest element, or of NaN.
template <class E>
std::size_t last_largest(std::vector<E> const& column, std::size_t row) {
  std::size_t at = 0;
  for (std::size_t r = 0; r <= row; ++r) {
    auto const x = static_cast<double>(static_cast<float>(column[r])),
               best = static_cast<double>(static_cast<float>(column[at]));
    if (std::isnan(x) || (!std::isnan(best) && x >= best)) at = r;
  }
  return at;
}

/// Small integers, of which many are equal, and special values.
template <class E>
std::vector<E> elements(std::size_t n, random_bits& next) {
  constexpr float infinity = std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<E> x;
  for (std::size_t i = 0; i < n; ++i) {
    auto const kind = next.below(64);
    float const number = static_cast<float>(next.below(9)) - 4;
    x.push_back(E(kind == 0   ? nan
                  : kind < 3  ? -infinity
                  : kind == 3 ? infinity
                  : kind < 12 ? -0.0F
                              : number));
  }
  return x;
}

template <class E>
void expect_maxima(std::size_t matrices, std::size_t rows, std::size_t columns, int threads) {
  random_bits next(test_seed() + rows);
  std::size_t const n = matrices * rows * columns;
  auto const x = elements<E>(n, next);
  std::vector<E> values(n);
  std::vector<std::int64_t> positions(n);
  host::run({.threads = threads}, host::running_maxima{lane_type_of<E>, x.data(), values.data(),
                                                       positions.data(), matrices, rows, columns});
  for (std::size_t m = 0; m < matrices; ++m)
    for (std::size_t c = 0; c < columns; ++c) {
      auto const at = [&](std::size_t r) { return (m * rows + r) * columns + c; };
      std::vector<E> column;
      for (std::size_t r = 0; r < rows; ++r) column.push_back(x[at(r)]);
      for (std::size_t r = 0; r < rows; ++r) {
        std::size_t const want = last_largest(column, r);
        ASSERT_EQ(positions[at(r)], static_cast<std::int64_t>(want)) << "row " << r;
        ASSERT_TRUE(same_bits(values[at(r)], column[want])) << "row " << r;
      }
    }
}

template <class E>
class running_maxima : public testing::Test {};
// float16 has no type_info.
template <class... E>
using each = testing::Types<std::type_identity<E>...>;
using all_real_types = each<half_float, bfloat16, float, double>;
TYPED_TEST_SUITE(running_maxima, all_real_types);

TYPED_TEST(running_maxima, are_the_last_largest_elements) {
  for (int const threads : {1, 3})
    for (std::size_t const rows : {0u, 1u, 2u, 7u, 150u})
      for (std::size_t const columns : {1u, 2u, 63u, 64u, 65u, 200u}) {
        SCOPED_TRACE(testing::Message() << rows << " rows of " << columns << ", " << seed_note());
        expect_maxima<typename TypeParam::type>(3, rows, columns, threads);
      }
  expect_maxima<typename TypeParam::type>(40, 300, 1, 3);
}

TEST(running_maxima_refusals, name_elements_that_are_not_real) {
  std::vector<double> x(8), values(8);
  std::vector<std::int64_t> positions(4);
  for (auto const type : {host::simd::lane_type::c64, host::simd::lane_type::c128}) {
    host::running_maxima const call{type, x.data(), values.data(), positions.data(), 1, 4, 1};
    EXPECT_EQ(message_of<precondition_error>([&] { host::run({.threads = 1}, call); }),
              "running maxima are of real elements");
  }
}

}  // namespace
}  // namespace upsweep::test
