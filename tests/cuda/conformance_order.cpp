/// Order, bits and sizes of results on a GPU, also without a kernel that relies on the order of
/// blocks.
#include "copied_to_gpu.hpp"

#include <conformance/backends.hpp>
#include <conformance/order_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_copies, on_gpu_copies_by_tickets>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, order_contract, on_gpus, backend_name);
}  // namespace upsweep::test
