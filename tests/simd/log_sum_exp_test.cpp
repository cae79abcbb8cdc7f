/// Sums of exponentials: the exponential on lanes has the bits of core/portable_math.hpp.
#include "block_scan_checks.hpp"

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

}  // namespace upsweep::test
