/// Copies of a loop for the widest registers that a processor has. Operators and functions of the
/// user are compiled with the user's flags, usually for any x86-64.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/compiler.hpp>

#include <cstddef>

namespace upsweep::host {

/// Both named ones with F16C.
enum class registers { any, avx2, avx512 };

/// The widest registers of the CPU that forced_target allows.
[[nodiscard]] UPSWEEP_API registers widest_registers();

/// Whether the CPU reads memory faster if loops prefetch, this many bytes ahead.
[[nodiscard]] UPSWEEP_API bool gains_from_prefetching();
inline constexpr std::size_t prefetched_bytes = 8192;

template <class F>
[[gnu::noinline]] auto in_any_registers(F const& f) {
  return f();
}
template <class F>
[[gnu::noinline]] UPSWEEP_AVX2 auto in_registers_of_avx2(F const& f) {
  return f();
}
#ifdef UPSWEEP_AVX512
template <class F>
[[gnu::noinline]] UPSWEEP_AVX512 auto in_registers_of_avx512(F const& f) {
  return f();
}
#endif

/// f() compiled for the widest registers, `most` or less. f and the lambdas in it have to be
/// UPSWEEP_INLINED, or they are compiled for any x86-64 first. What they call of the user's is
/// inlined as compilers see fit: it may be large, or call the library.
template <registers most = registers::avx512, class F>
auto in_widest_registers(F const& f) {
  if constexpr (most == registers::any) return in_any_registers(f);
  registers const widest = widest_registers();
#ifdef UPSWEEP_AVX512
  if constexpr (most == registers::avx512)
    if (widest == registers::avx512) return in_registers_of_avx512(f);
#endif
  return widest == registers::any ? in_any_registers(f) : in_registers_of_avx2(f);
}

}  // namespace upsweep::host
