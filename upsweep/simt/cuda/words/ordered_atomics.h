/// The atomic functions of CUDA 12.8 with an order and a scope: __nv_atomic_fetch_add() and others.
#pragma once

#include "atomics.h"

#include <type_traits>

// The values are the compiler's own.
#define __NV_ATOMIC_RELAXED __ATOMIC_RELAXED
#define __NV_ATOMIC_CONSUME __ATOMIC_CONSUME
#define __NV_ATOMIC_ACQUIRE __ATOMIC_ACQUIRE
#define __NV_ATOMIC_RELEASE __ATOMIC_RELEASE
#define __NV_ATOMIC_ACQ_REL __ATOMIC_ACQ_REL
#define __NV_ATOMIC_SEQ_CST __ATOMIC_SEQ_CST
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

namespace upsweep::emulated {

UPSWEEP_EMULATED_WORD constexpr order order_of(int o) {
  return static_cast<order>(o);
}
UPSWEEP_EMULATED_WORD constexpr scope scope_of(int s) {
  return s <= __NV_THREAD_SCOPE_BLOCK     ? scope::block
         : s == __NV_THREAD_SCOPE_CLUSTER ? scope::cluster
         : s == __NV_THREAD_SCOPE_DEVICE  ? scope::device
                                          : scope::system;
}
/// The stronger of two orders, of which the second is no release.
UPSWEEP_EMULATED_WORD constexpr order stronger(int success, int failure) {
  bool const acquires = failure == __ATOMIC_ACQUIRE || failure == __ATOMIC_CONSUME;
  if (failure == __ATOMIC_SEQ_CST) return order::seq_cst;
  if (acquires && success == __ATOMIC_RELAXED) return order::acquire;
  if (acquires && success == __ATOMIC_RELEASE) return order::acq_rel;
  return order_of(success);
}

}  // namespace upsweep::emulated

template <class T>
UPSWEEP_EMULATED_WORD T __nv_atomic_load_n(T const* place, int order,
                                           int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using namespace upsweep::emulated;
  return atomic_load<T>(place, order_of(order), scope_of(scope));
}
template <class T>
UPSWEEP_EMULATED_WORD void __nv_atomic_load(T const* place, T* result, int order,
                                            int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_load_n(place, order, scope);
}
template <class T>
UPSWEEP_EMULATED_WORD void __nv_atomic_store_n(T* place, std::type_identity_t<T> value, int order,
                                               int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using namespace upsweep::emulated;
  atomic_store<T>(place, value, order_of(order), scope_of(scope));
}
template <class T>
UPSWEEP_EMULATED_WORD void __nv_atomic_store(T* place, T* value, int order,
                                             int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(place, *value, order, scope);
}
template <class T>
UPSWEEP_EMULATED_WORD T __nv_atomic_exchange_n(T* place, std::type_identity_t<T> value, int order,
                                               int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using namespace upsweep::emulated;
  return fetch<replace, T>(place, value, order_of(order), scope_of(scope));
}
template <class T>
UPSWEEP_EMULATED_WORD void __nv_atomic_exchange(T* place, T* value, T* result, int order,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_exchange_n(place, *value, order, scope);
}
template <class T>
UPSWEEP_EMULATED_WORD bool __nv_atomic_compare_exchange_n(T* place, T* expected,
                                                          std::type_identity_t<T> desired, bool,
                                                          int success, int failure,
                                                          int scope = __NV_THREAD_SCOPE_SYSTEM) {
  using namespace upsweep::emulated;
  T const wanted = *expected;
  T const old =
      compare_and_swap<T>(place, wanted, desired, stronger(success, failure), scope_of(scope));
  bool const swapped = __builtin_memcmp(&old, &wanted, sizeof(T)) == 0;
  if (!swapped) *expected = old;
  return swapped;
}
template <class T>
UPSWEEP_EMULATED_WORD bool __nv_atomic_compare_exchange(T* place, T* expected, T* desired,
                                                        bool weak, int success, int failure,
                                                        int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(place, expected, *desired, weak, success, failure, scope);
}

#define UPSWEEP_EMULATED_ORDERED(word, f)                                                          \
  template <class T>                                                                               \
  UPSWEEP_EMULATED_WORD T __nv_atomic_fetch_##word(                                                \
      T* place, std::type_identity_t<T> value, int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {  \
    using namespace upsweep::emulated;                                                             \
    return fetch<upsweep::emulated::f, T>(place, value, order_of(order), scope_of(scope));         \
  }                                                                                                \
  template <class T>                                                                               \
  UPSWEEP_EMULATED_WORD void __nv_atomic_##word(T* place, std::type_identity_t<T> value,           \
                                                int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
    static_cast<void>(__nv_atomic_fetch_##word(place, value, order, scope));                       \
  }
UPSWEEP_EMULATED_ORDERED(add, add)
UPSWEEP_EMULATED_ORDERED(sub, subtract)
UPSWEEP_EMULATED_ORDERED(min, smaller)
UPSWEEP_EMULATED_ORDERED(max, larger)
UPSWEEP_EMULATED_ORDERED(and, and_with)
UPSWEEP_EMULATED_ORDERED(or, or_with)
UPSWEEP_EMULATED_ORDERED(xor, xor_with)
#undef UPSWEEP_EMULATED_ORDERED

UPSWEEP_EMULATED_WORD void __nv_atomic_thread_fence(int order,
                                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  upsweep::emulated::fence(upsweep::emulated::scope_of(scope), upsweep::emulated::order_of(order));
}
