/// Forms, streams, axes and refusals on a GPU. Suites that are not here: concurrency (the suite's
/// threads share one host array; verbs_on_gpu.cu has threads of its own), economy (a GPU's
/// butterflies apply the operator more often, docs/design/0004-cuda.md), exceptions (device code
/// does not throw), host_types (not trivially copyable), static_destructor (the driver may be gone
/// by then).
#include "copied_to_gpu.hpp"
#include "verbs_copied_to_gpu.cuh"

#include <conformance/axis_contract.hpp>
#include <conformance/backends.hpp>
#include <conformance/errors_contract.hpp>
#include <conformance/forms_contract.hpp>
#include <conformance/stream_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_copies>;
using with_lines = testing::Types<on_gpu_copies, on_gpu_verbs>;  // one by one, and all at once
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, axis_contract, with_lines, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, errors_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, forms_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, stream_contract, on_gpus, backend_name);
}  // namespace upsweep::test
