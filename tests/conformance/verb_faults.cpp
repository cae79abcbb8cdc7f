/// Faults in the verbs on scan on the executors of the CPU. Every allocation of this program
/// is a fault point.
#include <conformance/backends.hpp>
#include <conformance/verb_faults_contract.hpp>
#include <support/faulty_new.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, verb_faults_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
