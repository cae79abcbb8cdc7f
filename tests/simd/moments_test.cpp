/// Moments: the short form of the operator's formula for blocks of equally many elements has its
/// bits, and the values for which it does not hold are noticed.
#include "block_scan_checks.hpp"

namespace upsweep::test {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(kernels);

using all_moments =
    testing::Types<reduction<moments, float>, reduction<moments, double>,
                   reduction<moments, std::int32_t>, reduction<moments, std::uint32_t>,
                   reduction<moments, std::int64_t>, reduction<moments, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(moments, totals, all_moments);
// Scans convert elements of every type to double.
using moments_of_two_types =
    testing::Types<reduction<moments, double>, reduction<moments, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(moments, block_scans, moments_of_two_types);

TEST(moments_kernel, uses_the_operators_formula_where_the_difference_of_means_overflows) {
  constexpr double huge = std::numeric_limits<double>::max();
  for (std::size_t at = 0; at < 128; ++at) {
    std::vector<double> x(128, -huge);
    x[at] = huge;
    expect_totals_of_the_tree<moments>(x, {32, 64, 128});
    expect_scans_of_the_tree<moments>(x, {32, 64, 128});
  }
}

}  // namespace upsweep::test
