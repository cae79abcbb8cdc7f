/// Refusals on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/errors_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, errors_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
