/// Selections, and verbs on runs and segments, on a GPU: the contract's suites.
#include "verbs_copied_to_gpu.cuh"

#include <conformance/backends.hpp>
#include <conformance/by_key_contract.hpp>
#include <conformance/segments_contract.hpp>
#include <conformance/selection_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_verbs>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, by_key_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, segments_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, selection_contract, on_gpus, backend_name);
}  // namespace upsweep::test
