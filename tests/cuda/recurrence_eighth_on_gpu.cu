/// Recurrences of order 8 on a GPU, whose powers take a kernel's argument of up to 24 KB: the bits
/// of the CPU.
#include "recurrence_on_gpu.cuh"

#include <cstddef>
#include <cstdint>

namespace upsweep::test {
namespace {

TEST(cuda_recurrence_of_order_8, over_integers_has_the_bits_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  recurrence const op({3, -1, 4, 1, -5, 9, 2, -6});
  for (std::size_t const n : at_most_given({1, 2, 9, 128, 1025, 4097, 16385, 100'003, 3'000'001}))
    expect_scan<scan_kind::inclusive>(samples<std::int32_t>(n), op);
}
TEST(cuda_recurrence_of_order_8, over_doubles_reduces_to_them) {
  UPSWEEP_NEEDS_A_GPU();
  recurrence const op({0.3, 0.2, -0.1, 0.1, 0.05, -0.05, 0.02, 0.01});
  for (std::size_t const n : at_most_given({1, 2, 9, 128, 1025, 4097, 16385, 100'003, 3'000'001})) {
    on_gpu<double> const in(samples<double>(n));
    EXPECT_TRUE(same_bits(upsweep::reduce(gpu{}, in.input(), op),
                          upsweep::reduce(cpu{}, samples<double>(n), op)))
        << n;
  }
}

}  // namespace
}  // namespace upsweep::test
