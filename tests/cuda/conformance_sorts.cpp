/// Sorts on a GPU: the contract's suite.
#include "sorts_copied_to_gpu.cuh"

#include <conformance/backends.hpp>
#include <conformance/sorting_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_sorts>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, sorting_contract, on_gpus, backend_name);
}  // namespace upsweep::test
