/// CONTRACT_TEST: a typed test whose body is compiled once for each executor's type. Backends whose
/// executors differ in values only, such as the number of threads, share it.
#pragma once

#include <gtest/gtest.h>

namespace upsweep::test {

/// The backend for which the bodies of `Backend` are compiled: itself, unless it names another,
/// which then makes the executor of the backend whose use() was called last.
template <class Backend>
struct compiled_for {
  using backend = Backend;
  static void use() {}
};
template <class Backend>
  requires requires { typename Backend::compiled_as; }
struct compiled_for<Backend> {
  using backend = typename Backend::compiled_as;
  static void use() { Backend::use(); }
};

}  // namespace upsweep::test

/// TYPED_TEST_P of the same arguments, but `this` is not there.
#define CONTRACT_TEST(suite, name)                         \
  template <class TypeParam>                               \
  void suite##_##name();                                   \
  TYPED_TEST_P(suite, name) {                              \
    ::upsweep::test::compiled_for<TypeParam>::use();       \
    using body = ::upsweep::test::compiled_for<TypeParam>; \
    suite##_##name<typename body::backend>();              \
  }                                                        \
  template <class TypeParam>                               \
  void suite##_##name()
