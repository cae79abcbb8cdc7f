/// Floating-point environments on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/environment_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, environment_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
