/// The kinds of x86-64 processors for which the library's headers have copies of their loops.
#pragma once

#include <upsweep/host/simd/dispatch.hpp>

#include <algorithm>
#include <string>

namespace upsweep::test {

/// Calls `test`, which takes the target's name, with AVX2, if this processor has it, and without.
template <class F>
void on_each_kind_of_processor(F const& test) {
  for (char const* name : {"AVX2", "SSE4", "SSSE3", "SSE2"}) {
    auto const all = host::simd::targets();
    if (std::find(all.begin(), all.end(), name) == all.end()) continue;
    host::simd::forced_target const forced(name);
    test(std::string(name));
  }
  test(std::string("the default target"));
}

}  // namespace upsweep::test
