/// Runs a test with every SIMD target.
#pragma once

#include <upsweep/host/simd/dispatch.hpp>

#include <gtest/gtest.h>

#include <string>

namespace upsweep::test {

/// Calls f() with each SIMD target of this machine.
template <class F>
void for_each_target(F const& f) {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    SCOPED_TRACE("SIMD target " + name);
    f();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace upsweep::test
