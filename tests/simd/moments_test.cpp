/// Moments: the short form of the operator's formula for blocks of equally many elements has its
/// bits, and the values for which it does not hold are noticed.
#include "block_scan_checks.hpp"

#include <upsweep/host/block_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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

/// Compares blocks of 2^k elements with the operator's total in the order of the tree.
void expect_central_moments(std::vector<double> const& x, int k) {
  std::size_t const n = std::size_t{1} << k;
  auto const expected = tree_prefixes(as_accumulators(x, central_moments{}), central_moments{});
  for_each_target([&] {
    auto const got = host::block_kernel<central_moments, double>::total({}, x.data(), n, 0);
    ASSERT_FALSE(upper_halves_in_use());
    ASSERT_TRUE(detail::parts::same(got, expected[n - 1])) << n << " elements, " << seed_note();
  });
}

TEST(central_moments_kernel, has_the_operators_bits_at_every_size_of_a_block) {
  for (int k = 0; k <= 13; ++k)
    for (double const scale : {1e-200, 1e-80, 1.0, 1000.0, 1e80})
      expect_central_moments(numbers_within<double>(scale, std::size_t{1} << k), k);
}

TEST(central_moments_kernel, has_the_operators_bits_with_a_special_value_at_every_position) {
  for (double const special : special_numbers<double>())
    for (std::size_t at = 0; at < 64; ++at) {
      auto x = numbers_within<double>(10, 64);
      x[at] = special;
      expect_central_moments(x, 6);
    }
}

TEST(central_moments_kernel, keeps_the_signs_of_zeros) {
  for (double const same : {0.0, -0.0, 3.0}) expect_central_moments(std::vector(256, same), 8);
}

}  // namespace upsweep::test
