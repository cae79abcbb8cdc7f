/// atomicAdd() and its like, on global and shared memory.
#pragma once

#include "keywords.h"

#include <atomic>

namespace upsweep::emulated {

struct add {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct subtract {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return static_cast<T>(a - b);
  }
};
struct smaller {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct larger {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
struct and_with {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct or_with {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct xor_with {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct replace {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T, T b) {
    return b;
  }
};
struct increment_below {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T limit) {
    return a >= limit ? T{0} : static_cast<T>(a + 1);
  }
};
struct decrement_to {
  template <class T>
  UPSWEEP_EMULATED_UNSEEN static T apply(T a, T limit) {
    return a == 0 || a > limit ? limit : static_cast<T>(a - 1);
  }
};

template <class F, class T>
UPSWEEP_EMULATED_UNSEEN bool update(std::byte* place, void const* operand, void* old) {
  T& element = *reinterpret_cast<T*>(place);
  T const before = element;
  *static_cast<T*>(old) = before;
  element = F::template apply<T>(before, *static_cast<T const*>(operand));
  return __builtin_memcmp(&before, &element, sizeof(T)) != 0;
}
template <class T>
UPSWEEP_EMULATED_UNSEEN bool read(std::byte* place, void const*, void* old) {
  *static_cast<T*>(old) = *reinterpret_cast<T const*>(place);
  return false;
}
/// `operand` is the expected value followed by the desired one. Bytes are compared, as on a GPU.
template <class T>
UPSWEEP_EMULATED_UNSEEN bool exchange_if(std::byte* place, void const* operand, void* old) {
  T const* const pair = static_cast<T const*>(operand);
  T& element = *reinterpret_cast<T*>(place);
  *static_cast<T*>(old) = element;
  if (__builtin_memcmp(&element, pair, sizeof(T)) != 0) return false;
  element = pair[1];
  return __builtin_memcmp(pair, pair + 1, sizeof(T)) != 0;
}

enum class atomic_kind : int { load, store, update };

template <class T>
UPSWEEP_EMULATED_WORD T atomic(atomic_kind kind, T const volatile* place,
                               bool (*f)(std::byte*, void const*, void*), void const* operand,
                               std::memory_order order, bool is_device_wide) {
  T old;
  upsweep_emulated_atomic_call const call{
      static_cast<int>(kind), is_device_wide, static_cast<int>(order), sizeof(T), f, operand, &old};
  upsweep_emulated_atomic(const_cast<T*>(place), &call);
  return old;
}
template <class F, class T>
UPSWEEP_EMULATED_WORD T fetch(T volatile* place, T value, std::memory_order order,
                              bool is_device_wide) {
  return atomic<T>(atomic_kind::update, place, update<F, T>, &value, order, is_device_wide);
}
template <class T>
UPSWEEP_EMULATED_WORD T compare_and_swap(T volatile* place, T expected, T desired,
                                         std::memory_order order, bool is_device_wide) {
  T const pair[2] = {expected, desired};
  return atomic<T>(atomic_kind::update, place, exchange_if<T>, pair, order, is_device_wide);
}

}  // namespace upsweep::emulated

// Of the whole system, of one block; all are relaxed.
#define UPSWEEP_EMULATED_SCOPES(define, name, f) \
  define(name, f, true) define(name##_block, f, false) define(name##_system, f, true)
#define UPSWEEP_EMULATED_ATOMIC(name, f, is_wide)                                     \
  template <class T>                                                                  \
  UPSWEEP_EMULATED_WORD T name(T* place, std::type_identity_t<T> value) {             \
    return upsweep::emulated::fetch<upsweep::emulated::f, std::remove_volatile_t<T>>( \
        place, value, std::memory_order_relaxed, is_wide);                            \
  }
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicAdd, add)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicSub, subtract)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicMin, smaller)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicMax, larger)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicAnd, and_with)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicOr, or_with)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicXor, xor_with)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicExch, replace)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicInc, increment_below)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicDec, decrement_to)
#undef UPSWEEP_EMULATED_ATOMIC
#define UPSWEEP_EMULATED_CAS(name, f, is_wide)                                                  \
  template <class T>                                                                            \
  UPSWEEP_EMULATED_WORD T name(T* place, std::type_identity_t<T> expected,                      \
                               std::type_identity_t<T> desired) {                               \
    return upsweep::emulated::f<std::remove_volatile_t<T>>(place, expected, desired,            \
                                                           std::memory_order_relaxed, is_wide); \
  }
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_CAS, atomicCAS, compare_and_swap)
#undef UPSWEEP_EMULATED_CAS
#undef UPSWEEP_EMULATED_SCOPES
