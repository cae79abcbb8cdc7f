/// Accesses: loads and stores with a cache hint, which are plain ones here, and indices of a
/// thread's own arrays.
#pragma once

#include "keywords.h"

#include <type_traits>

#define UPSWEEP_EMULATED_LOAD(name)                      \
  template <class T>                                     \
  UPSWEEP_EMULATED_WORD std::remove_cv_t<T> name(T* p) { \
    return *p;                                           \
  }
#define UPSWEEP_EMULATED_STORE(name)                                     \
  template <class T>                                                     \
  UPSWEEP_EMULATED_WORD void name(T* p, std::type_identity_t<T> value) { \
    *p = value;                                                          \
  }
/// Through the cache of what does not change during the kernel.
template <class T>
UPSWEEP_EMULATED_WORD std::remove_cv_t<T> __ldg(T* p) {
  upsweep_emulated_read_only(p);
  return *p;
}
UPSWEEP_EMULATED_LOAD(__ldca)
UPSWEEP_EMULATED_LOAD(__ldcg)
UPSWEEP_EMULATED_LOAD(__ldcs)
UPSWEEP_EMULATED_LOAD(__ldlu)
UPSWEEP_EMULATED_LOAD(__ldcv)
UPSWEEP_EMULATED_STORE(__stcg)
UPSWEEP_EMULATED_STORE(__stcs)
UPSWEEP_EMULATED_STORE(__stwb)
UPSWEEP_EMULATED_STORE(__stwt)
#undef UPSWEEP_EMULATED_LOAD
#undef UPSWEEP_EMULATED_STORE

// Indices of a thread's own arrays, whose accesses no compiler reports: lab/source/own_arrays.cpp
// puts a call around each.
namespace upsweep::emulated {

/// Returns `i`. One that is not in dimension `d` of the array traps: without a branch that the
/// compiler knows, it costs three instructions and no basic block.
template <class Array, unsigned d, class Index>
UPSWEEP_EMULATED_WORD constexpr Index own_index([[maybe_unused]] char const* name, Index i) {
#ifdef __x86_64__
  constexpr auto elements = std::extent_v<std::remove_reference_t<Array>, d>;
  if constexpr (elements != 0 && elements < 1u << 31 &&
                (std::is_integral_v<Index> || std::is_enum_v<Index>))
    if (!std::is_constant_evaluated())
      asm volatile("cmpq %2, %0\n\tjb 1f\n\tud2\n\t.long %c3\n\t.long %c2\n1:"
                   :
                   : "D"(static_cast<long long>(i)), "S"(name), "i"(elements),
                     "i"(upsweep_emulated_index_mark)
                   : "cc");
#elif defined(__wasm__)
  constexpr auto elements = std::extent_v<std::remove_reference_t<Array>, d>;
  if constexpr (elements != 0 && elements < 1u << 31 &&
                (std::is_integral_v<Index> || std::is_enum_v<Index>))
    if (!std::is_constant_evaluated())
      upsweep_emulated_own_index(name, static_cast<long long>(i), static_cast<unsigned>(elements));
#endif
  return i;
}

}  // namespace upsweep::emulated
