/// Reductions and scans by key on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/by_key_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, by_key_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
