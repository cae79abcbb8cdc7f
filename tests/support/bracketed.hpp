/// The tree of a call as text: ((ab)(cd)).
#pragma once

#include <string>

namespace upsweep::test {

/// Shows the expression.
struct bracketed {
  template <class>
  using accumulator = std::string;
  std::string lift(char x) const { return std::string(1, x); }
  std::string operator()(std::string const& a, std::string const& b) const {
    return "(" + a + b + ")";
  }
};

}  // namespace upsweep::test
