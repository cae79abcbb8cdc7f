/// Selections, verbs on runs and segments, and sorts on a GPU: the contract's suites.
#include "sorts_copied_to_gpu.cuh"
#include "verbs_copied_to_gpu.cuh"

#include <conformance/backends.hpp>
#include <conformance/by_key_contract.hpp>
#include <conformance/segments_contract.hpp>
#include <conformance/selection_contract.hpp>
#include <conformance/sorting_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_verbs>;
using sorting = testing::Types<on_gpu_sorts>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, by_key_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, segments_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, selection_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, sorting_contract, sorting, backend_name);
}  // namespace upsweep::test
