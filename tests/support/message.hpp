/// The words of an error that a test expects.
#pragma once

#include <upsweep/core/errors.hpp>

#include <string>

namespace upsweep::test {

/// The message of the exception of type Error that f() throws; empty if it throws none.
template <class Error = error, class F>
std::string message_of(F const& f) {
  try {
    f();
  } catch (Error const& e) {
    return e.what();
  }
  return {};
}

}  // namespace upsweep::test
