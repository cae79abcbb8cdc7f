/// Scans over pieces on a GPU by operators that do not commute.
#include "pieces_on_gpu.cuh"

namespace upsweep::test {
namespace {

TEST(cuda_pieces, keep_the_order_of_operands) {
  UPSWEEP_NEEDS_A_GPU();
  expect_scans<affine_map<double>>(1000, affine{});
  expect_scans<affine_map<double>>(100003, affine{});
  expect_scans<affine_map<double>>(1000001, affine{});
}

}  // namespace
}  // namespace upsweep::test
