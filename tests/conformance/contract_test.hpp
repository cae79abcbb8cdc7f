/// CONTRACT_TEST: a typed test whose body is compiled once for each executor's type. Backends whose
/// executors differ in values only, such as the number of threads, share it. Whether a backend is a
/// device, and checks of the exceptions for wrong calls.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/errors.hpp>

#include <gtest/gtest.h>

#include <cctype>
#include <exception>
#include <initializer_list>
#include <string>

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

namespace upsweep::test {

/// Whether a backend works on the memory of another device. Such a backend gets arrays of trivially
/// copyable elements and operators that run there; other tests are skipped, each with a reason.
template <class Backend>
inline constexpr bool is_device = detail::has_own_memory<decltype(Backend::make())>;

}  // namespace upsweep::test

namespace upsweep::test {

/// Whether `call` throws precondition_error, with a sentence that contains all of `words`.
template <class Call>
testing::AssertionResult refuses(std::initializer_list<char const*> words, Call&& call) {
  try {
    call();
  } catch (precondition_error const& e) {
    std::string const text = e.what();
    for (char const* const word : words)
      if (text.find(word) == std::string::npos)
        return testing::AssertionFailure() << "\"" << text << "\" does not say \"" << word << "\"";
    if (text.size() < 20 || text.find(' ') == std::string::npos ||
        std::isspace(static_cast<unsigned char>(text.back())))
      return testing::AssertionFailure() << "\"" << text << "\" is no sentence";
    return testing::AssertionSuccess();
  } catch (std::exception const& e) {
    return testing::AssertionFailure() << "threw another type: " << e.what();
  }
  return testing::AssertionFailure() << "did not throw";
}

}  // namespace upsweep::test
