/// Windows, histograms and rows in place on a GPU: the contract's suites.
#include "verbs_copied_to_gpu.cuh"

#include <conformance/backends.hpp>
#include <conformance/histogram_contract.hpp>
#include <conformance/padding_contract.hpp>
#include <conformance/windowed_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_verbs>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, histogram_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, padding_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, windowed_contract, on_gpus, backend_name);
}  // namespace upsweep::test
