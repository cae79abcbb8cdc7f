/// Concurrent, nested and forked calls on the executors of the processor.
#include <conformance/backends.hpp>
#include <conformance/concurrency_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, concurrency_contract, host_backends, backend_name);
}  // namespace upsweep::test
