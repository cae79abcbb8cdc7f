/// Loops over the elements of blocks in L1, which compilers vectorize at -O2, and conversions.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/host/registers.hpp>

#include <cstddef>

namespace upsweep::host {

/// Calls step(i, j) with i + j each of [0, n): i counts blocks of 64, whose steps are independent
/// of each other. A loop of this constant length is what g++ vectorizes at -O2 too.
template <class Step>
[[gnu::always_inline]] inline void by_64(std::size_t n, Step const& at) {
  constexpr int block = 64;
  std::size_t i = 0;
  for (; i + block <= n; i += block) {
    auto const step = at(i);
    UPSWEEP_INDEPENDENT_STEPS
    for (int j = 0; j < block; ++j) step(j);
  }
  if (i == n) return;
  auto const step = at(i);
  for (int j = 0; j < static_cast<int>(n - i); ++j) step(j);
}

/// by_64 in registers of 32 bytes where the CPU has AVX2: for loops that convert, which take
/// several instructions without it.
template <class Step>
void by_64_avx2(std::size_t n, Step const& at) {
  in_widest_registers<registers::avx2>([n, &at]() UPSWEEP_INLINED { by_64(n, at); });
}

/// to[j] = from[j] for n numbers.
template <class To, class From>
void convert(To* to, From const* from, std::size_t n) {
  by_64_avx2(n, [=](std::size_t i) UPSWEEP_INLINED {
    return [from = from + i, to = to + i](int j)
               UPSWEEP_INLINED { to[j] = static_cast<To>(from[j]); };
  });
}
/// The same by vector instructions, which g++ does not find.
#ifdef UPSWEEP_HAS_FLOAT16
UPSWEEP_API void convert(float* to, float16 const* from, std::size_t n);
#endif

}  // namespace upsweep::host
