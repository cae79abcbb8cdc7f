/// Special values, accuracy and fast mode on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/values_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, values_contract, host_backends, backend_name);
}  // namespace upsweep::test
