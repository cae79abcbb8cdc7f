/// The whole contract that an executor must keep, in one include. A backend instantiates it like
/// this:
///
///   #include <conformance/executor_contract.hpp>
///
///   namespace upsweep::test {
///   struct on_mine {
///     static my_executor make() { return {}; }
///     static std::string name() { return "mine"; }
///   };
///   UPSWEEP_EXECUTOR_CONTRACT(mine, testing::Types<on_mine>);
///   }
///
/// An executor that cannot obey all of it (a device with strings, for example) instantiates the
/// suites that apply one by one. tests/conformance does the same for the CPU, because small
/// sources compile in parallel.
#pragma once

#include <conformance/axis_contract.hpp>
#include <conformance/backends.hpp>
#include <conformance/calls_contract.hpp>
#include <conformance/concurrency_contract.hpp>
#include <conformance/economy_contract.hpp>
#include <conformance/errors_contract.hpp>
#include <conformance/exceptions_contract.hpp>
#include <conformance/forms_contract.hpp>
#include <conformance/host_types_contract.hpp>
#include <conformance/operators_contract.hpp>
#include <conformance/order_contract.hpp>
#include <conformance/stream_contract.hpp>
#include <conformance/types_contract.hpp>
#include <conformance/values_contract.hpp>

/// Runs every suite on each of the backends in `types`.
#define UPSWEEP_EXECUTOR_CONTRACT(prefix, types)                                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, axis_contract, types, ::upsweep::test::backend_name);    \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, calls_contract, types, ::upsweep::test::backend_name);   \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, concurrency_contract, types,                             \
                                 ::upsweep::test::backend_name);                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, economy_contract, types, ::upsweep::test::backend_name); \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, errors_contract, types, ::upsweep::test::backend_name);  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, exceptions_contract, types,                              \
                                 ::upsweep::test::backend_name);                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, float_operators_contract, types,                         \
                                 ::upsweep::test::backend_name);                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, forms_contract, types, ::upsweep::test::backend_name);   \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, host_types_contract, types,                              \
                                 ::upsweep::test::backend_name);                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, integer_operators_contract, types,                       \
                                 ::upsweep::test::backend_name);                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, order_contract, types, ::upsweep::test::backend_name);   \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, stream_contract, types, ::upsweep::test::backend_name);  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, structure_operators_contract, types,                     \
                                 ::upsweep::test::backend_name);                                  \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, types_contract, types, ::upsweep::test::backend_name);   \
  INSTANTIATE_TYPED_TEST_SUITE_P(prefix, values_contract, types, ::upsweep::test::backend_name)
