/// Checks of the exceptions for wrong calls.
#pragma once

#include <upsweep/core/errors.hpp>

#include <gtest/gtest.h>

#include <cctype>
#include <exception>
#include <initializer_list>
#include <string>

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
