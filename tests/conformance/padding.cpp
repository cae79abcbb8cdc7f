/// pad and unpad on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/padding_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, padding_contract, host_backends, backend_name);
}  // namespace upsweep::test
