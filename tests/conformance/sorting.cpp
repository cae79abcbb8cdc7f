/// sort, sort_by_key, argsort, top and quantile on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/sorting_contract.hpp>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, sorting_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
