/// What the tests of vector kernels share: every SIMD target, and the upper halves of registers.
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

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace upsweep::test {

#if defined(__x86_64__)
/// The CPU's own list of the states in use (XINUSE): bit 2 the upper halves of the 256-bit
/// registers, bit 6 those of the 512-bit ones. Not every virtual machine has it.
inline bool upper_halves_listed_in_use() {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1u));
  return (low & (1u << 2 | 1u << 6)) != 0;
}
inline bool upper_halves_in_use() {
  static bool const is_listed = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    bool const has_avx =
        __get_cpuid(1, &a, &b, &c, &d) && (c & (1u << 27)) != 0 && (c & (1u << 28)) != 0;
    if (!has_avx || !__get_cpuid_count(0xd, 1, &a, &b, &c, &d) || (a & (1u << 2)) == 0)
      return false;
    __asm__ volatile("vzeroupper");
    if (upper_halves_listed_in_use()) return false;
    __asm__ volatile("vpcmpeqd %%xmm1, %%xmm1, %%xmm1\n vinsertf128 $1, %%xmm1, %%ymm1, %%ymm1"
                     :
                     :
                     : "xmm1");
    bool const is_noticed = upper_halves_listed_in_use();
    __asm__ volatile("vzeroupper");
    return is_noticed;
  }();
  return is_listed && upper_halves_listed_in_use();
}
#else
inline bool upper_halves_in_use() {
  return false;
}
#endif

}  // namespace upsweep::test
