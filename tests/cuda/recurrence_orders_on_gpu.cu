/// Recurrences of orders 3 and 4, over integers, and of elements of other types, on a GPU: the bits
/// of the CPU.
#include "recurrence_on_gpu.cuh"

#include <cstddef>
#include <cstdint>

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

TEST(cuda_recurrence_types, integers_wrap_as_on_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  recurrence const fibonacci({std::int64_t{1}, std::int64_t{1}});
  recurrence const generator({1'664'525u});
  expect_inclusive<std::int64_t>(fibonacci);
  expect_inclusive<std::uint32_t>(generator);
  for (std::size_t const n : some_sizes()) expect_reduction(samples<std::uint32_t>(n), generator);
}
TEST(cuda_recurrence_types, elements_convert_to_the_operators_type) {
  UPSWEEP_NEEDS_A_GPU();
  expect_inclusive<std::int16_t>(recurrence({0.5}));
}

}  // namespace
}  // namespace upsweep::test
