/// Running maxima with their positions against a plain loop over each column.
#include <support/bits.hpp>
#include <support/lane_types.hpp>
#include <support/random.hpp>

#include <upsweep/core/errors.hpp>
#include <upsweep/host/running_columns.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

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
    try {
      host::run({.threads = 1},
                host::running_maxima{type, x.data(), values.data(), positions.data(), 1, 4, 1});
      ADD_FAILURE() << "accepted";
    } catch (precondition_error const& e) {
      EXPECT_STREQ(e.what(), "running maxima are of real elements");
    }
  }
}

}  // namespace
}  // namespace upsweep::test
