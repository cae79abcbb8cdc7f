/// The tree of a call as text: ((ab)(cd)).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::test {

/// Shows the expression: neither associative nor commutative.
struct bracketed {
  static constexpr char const* name = "bracketed";  ///< in the bytes of a partial
  template <class>
  using accumulator = std::string;
  std::string lift(char x) const { return std::string(1, x); }
  std::string operator()(std::string const& a, std::string const& b) const {
    return "(" + a + b + ")";
  }
};

/// Elements for it; neighbors differ.
inline std::vector<char> letters(std::size_t n) {
  std::vector<char> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<char>('0' + i % 64));
  return x;
}

}  // namespace upsweep::test
