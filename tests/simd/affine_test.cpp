/// First-order recurrences: every grouping gives other bits, and every order another result.
#include "kernel_checks.hpp"

#include <cstddef>

namespace upsweep::test {

using recurrences =
    testing::Types<kernel<affine, affine_map<float>>, kernel<affine, affine_map<double>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(recurrences, kernels, recurrences);

TEST(wrong_order, differs_from_the_right_one_on_these_inputs) {
  expectation<kernel<affine, affine_map<float>>> const e(kernel_elements<affine_map<float>>(300));
  struct backwards : affine {
    auto operator()(affine_map<float> const& earlier, affine_map<float> const& later) const {
      return affine::operator()(later, earlier);
    }
  };
  auto const wrong = tree_prefixes(e.x(), backwards{});
  std::size_t count = 0;
  for (std::size_t n = 2; n <= wrong.size(); ++n) count += !same_bits(wrong[n - 1], e.total(n));
  EXPECT_GT(count, 290u) << seed_note();
}

}  // namespace upsweep::test
