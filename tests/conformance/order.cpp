/// The order, bits and sizes of results on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/order_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, order_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
