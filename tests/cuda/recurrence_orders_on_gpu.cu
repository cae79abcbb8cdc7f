/// Recurrences of orders 3 and 4 on a GPU: the bits of the CPU.
#include "recurrence_on_gpu.cuh"

#include <cstddef>

namespace upsweep::test {
namespace {

TEST(cuda_recurrence_orders, three_over_doubles_has_the_bits_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  recurrence const op({0.5, 0.25, -0.125});
  expect_inclusive<double>(op);
  for (std::size_t const n : some_sizes()) expect_reduction(samples<double>(n), op);
}
TEST(cuda_recurrence_orders, four_over_floats_has_them) {
  UPSWEEP_NEEDS_A_GPU();
  expect_inclusive<float>(recurrence({0.5f, 0.25f, -0.125f, 0.0625f}));
}

}  // namespace
}  // namespace upsweep::test
