/// Types, special values, the operator catalog, and order, bits and sizes of results on a GPU, as
/// far as copied_to_gpu.hpp lists them; order also without a kernel that relies on the order of
/// blocks. Operators that are not there: concat, exact_sum and the checked ones run on the CPU
/// only, log_sum_exp has another exp() than the CPU's and so other bits, first and last may
/// throw.
#include "copied_to_gpu.hpp"

#include <conformance/backends.hpp>
#include <conformance/operators_contract.hpp>
#include <conformance/order_contract.hpp>
#include <conformance/types_contract.hpp>
#include <conformance/values_contract.hpp>

namespace upsweep::test {
using on_gpus = testing::Types<on_gpu_copies>;
using in_any_order = testing::Types<on_gpu_copies, on_gpu_copies_by_tickets>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, float_operators_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, integer_operators_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, structure_operators_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, order_contract, in_any_order, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, types_contract, on_gpus, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(gpu, values_contract, on_gpus, backend_name);
}  // namespace upsweep::test
