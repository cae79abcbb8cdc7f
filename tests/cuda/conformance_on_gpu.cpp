/// The contract's suites on a GPU.
#include "copied_to_gpu.hpp"
#include "verbs_copied_to_gpu.cuh"

#include <conformance/axis_contract.hpp>
#include <conformance/backends.hpp>
#include <conformance/errors_contract.hpp>
#include <conformance/forms_contract.hpp>
#include <conformance/operators_contract.hpp>
#include <conformance/order_contract.hpp>
#include <conformance/stream_contract.hpp>
#include <conformance/types_contract.hpp>
#include <conformance/values_contract.hpp>

namespace upsweep::test {

// Forms, streams, axes and refusals on a GPU. Suites that are not here: concurrency (the suite's
// threads share one host array; verbs_on_gpu.cu has threads of its own), economy (a GPU's
// butterflies apply the operator more often, docs/design/0004-cuda.md), exceptions (device code
// does not throw), host_types (not trivially copyable), static_destructor (the driver may be gone
// by then).

using on_gpus = testing::Types<on_gpu_copies>;
using with_lines = testing::Types<on_gpu_copies, on_gpu_verbs>;  // one by one, and all at once
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, axis_contract, with_lines, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, errors_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, forms_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, stream_contract, on_gpus, backend_name);

// Types, special values, the operator catalog, and order, bits and sizes of results on a GPU, as
// far as copied_to_gpu.hpp lists them; order also without a kernel that relies on the order of
// blocks. Operators that are not there: concat, exact_sum and the checked ones run on the CPU
// only, log_sum_exp has another exp() than the CPU's and so other bits, first and last may
// throw.

using in_any_order = testing::Types<on_gpu_copies, on_gpu_copies_by_tickets>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, float_operators_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, integer_operators_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, structure_operators_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, order_contract, in_any_order, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, types_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, values_contract, on_gpus, backend_name);

}  // namespace upsweep::test
