/// Axes of n-dimensional views on the executors of the processor.
#include <conformance/axis_contract.hpp>
#include <conformance/backends.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, axis_contract, host_backends, backend_name);
}  // namespace upsweep::test
