/// histogram, weighted_histogram and count_indices on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/histogram_contract.hpp>
#include <conformance/weighted_histogram_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, histogram_contract, cpu_backends, backend_name);
INSTANTIATE_TYPED_TEST_SUITE_P(host, weighted_histogram_contract, host_backends, backend_name);
}  // namespace upsweep::test
