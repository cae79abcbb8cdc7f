/// Sums of exponentials: the exponential on lanes has the bits of core/portable_math.hpp.
#include "block_scan_checks.hpp"

#include <support/tree.hpp>

#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace upsweep::test {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(kernels);

using all_sums_of_exponentials =
    testing::Types<reduction<log_sum_exp, float>, reduction<log_sum_exp, double>>;
INSTANTIATE_TYPED_TEST_SUITE_P(log_sum_exp, totals, all_sums_of_exponentials);
INSTANTIATE_TYPED_TEST_SUITE_P(log_sum_exp, block_scans, all_sums_of_exponentials);

/// Pairs of 0 and each difference: sums 1 + e^-d, of which the largest is the sum of its block.
template <class T>
void expect_every_difference() {
  random_bits next(test_seed());
  for (double const range : {1e-8, 0.01, 1.0, 40.0, 100.0, 800.0})
    for (int round = 0; round < 20; ++round) {
      std::vector<T> x(2048);
      for (T& e : x)
        if (next.below(2) == 0) e = static_cast<T>(-range * (1 + small(next)));
      expect_totals_of_the_tree<log_sum_exp>(x, {64, 128, 256, 2048});
      if (round == 0) expect_scans_of_the_tree<log_sum_exp>(x, {64, 2048});
    }
}
TEST(log_sum_exp_kernel, has_the_operators_bits_for_every_difference_of_exponents) {
  expect_every_difference<float>();
  expect_every_difference<double>();
}

/// Lines side by side have the bits of the tree's prefix of each. In memory, lines or rows are
/// contiguous.
template <class T>
void expect_log_sums(std::size_t rows, std::size_t lanes, bool are_lines, random_bits& next) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  T const special[] = {infinity, -infinity, std::numeric_limits<T>::quiet_NaN(), T{-0.0}, T{1e30f}};
  std::vector<T> x(rows * lanes), want(lanes), found(lanes + 1, T{7});
  std::size_t const row = are_lines ? 1 : lanes, lane = are_lines ? rows : 1;
  for (std::size_t l = 0; l < lanes; ++l) {
    std::vector<T> line(rows);
    bool const is_special = next.below(3) == 0;
    for (std::size_t r = 0; r < rows; ++r) {
      bool const is_one = is_special && next.below(4) == 0;
      line[r] = is_one ? special[next.below(5)] : static_cast<T>(20 * small(next));
      x[r * row + l * lane] = line[r];
    }
    log_sum_exp const op;
    want[l] = op.finish(tree_prefixes(as_accumulators(line, op), op).back());
  }
  host::simd::lane_matrix const matrix{reinterpret_cast<std::byte*>(x.data()),
                                       static_cast<std::ptrdiff_t>(row * sizeof(T)),
                                       static_cast<std::ptrdiff_t>(lane * sizeof(T))};
  host::simd::log_sums(rows, lanes, matrix, found.data());
  EXPECT_EQ(found.back(), T{7});
  found.pop_back();
  for (std::size_t l = 0; l < lanes; ++l) EXPECT_TRUE(same_bits(found[l], want[l])) << l;
}
TEST(log_sums, have_the_bits_of_the_tree_of_each_lane) {
  random_bits next(test_seed());
  for_each_target([&] {
    for (std::size_t const lanes : {1u, 3u, 8u, 17u, 63u, 64u})
      for (std::size_t const rows : {1u, 2u, 3u, 5u, 8u, 15u, 16u, 31u, 70u, 300u})
        for (bool const are_lines : {false, true}) {
          SCOPED_TRACE(testing::Message() << lanes << " lanes of " << rows << " rows");
          expect_log_sums<float>(rows, lanes, are_lines, next);
          expect_log_sums<double>(rows, lanes, are_lines, next);
        }
  });
}

}  // namespace upsweep::test
