/// Counts of operator applications on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/economy_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, economy_contract, host_backends, backend_name);
}  // namespace upsweep::test
