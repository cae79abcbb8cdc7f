/// Exceptions on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/exceptions_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, exceptions_contract, host_backends, backend_name);
}  // namespace upsweep::test
