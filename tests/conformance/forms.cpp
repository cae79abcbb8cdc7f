/// Ranges, fused functions and operators of any form on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/forms_contract.hpp>

#include <vector>

namespace upsweep::test {
TEST(forms, braces_in_place_of_the_executor_set_the_threads_of_cpu) {
  std::vector<int> const in{1, 2, 3, 4};
  std::vector<int> out(4);
  EXPECT_EQ(upsweep::reduce({.threads = 2}, in), 10);
  EXPECT_EQ(upsweep::reduce({.threads = 2}, in, larger_of_two{}, {.initial = 9}), 9);
  upsweep::inclusive_scan({.threads = 2}, in, out, {.initial = 5});
  EXPECT_EQ(out, (std::vector{6, 8, 11, 15}));
}

INSTANTIATE_TYPED_TEST_SUITE_P(host, forms_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
