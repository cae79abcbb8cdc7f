/// Loads and stores with a cache hint, which are plain ones here.
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
