/// User-defined sources and sinks on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/calls_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, calls_contract, host_backends, backend_name);
}  // namespace upsweep::test
