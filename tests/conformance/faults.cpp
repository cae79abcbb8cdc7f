/// Faults on the executors of the CPU. Every allocation of this program is a fault point.
#include <conformance/backends.hpp>
#include <conformance/faults_contract.hpp>
#include <support/faulty_new.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, faults_contract, host_backends, backend_name);
}  // namespace upsweep::test
