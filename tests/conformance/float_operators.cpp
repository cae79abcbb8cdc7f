/// The operator catalog over floating-point numbers, on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/operators_contract.hpp>

namespace upsweep::test {
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(integer_operators_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(structure_operators_contract);
INSTANTIATE_TYPED_TEST_SUITE_P(host, float_operators_contract, cpu_backends, backend_name);
}  // namespace upsweep::test
