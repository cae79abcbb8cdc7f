/// Cumulative distributions on the executors of the processor.
#include <conformance/backends.hpp>
#include <conformance/distribution_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, distribution_contract, host_backends, backend_name);
}  // namespace upsweep::test
