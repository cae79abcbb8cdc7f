/// Ranges, fused functions and operators of any form on the executors of the processor.
#include <conformance/backends.hpp>
#include <conformance/forms_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, forms_contract, host_backends, backend_name);
}  // namespace upsweep::test
