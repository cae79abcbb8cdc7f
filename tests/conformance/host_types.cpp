/// Strings and other types of the host on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/host_types_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, host_types_contract, host_backends, backend_name);
}  // namespace upsweep::test
