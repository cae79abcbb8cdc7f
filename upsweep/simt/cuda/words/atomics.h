/// atomicAdd() and its like, on global and shared memory, and the functions of CUDA 12.8 that take
/// an order and a scope.
#pragma once

#include "barriers.h"

#include <cstddef>
#include <type_traits>

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

enum class atomic_kind : int { load, store, update, compare_and_swap };

/// `f` is applied to the element at `place`; returns the old value.
template <class T>
UPSWEEP_EMULATED_WORD T atomic(atomic_kind kind, T const volatile* place,
                               bool (*f)(std::byte*, void const*, void*), void const* operand,
                               order o, scope s) {
  T old;
  upsweep_emulated_atomic_call const call{
      static_cast<int>(kind), is_wide(s), static_cast<int>(o), sizeof(T), f, operand, &old};
  upsweep_emulated_atomic(const_cast<T*>(place), &call);
  return old;
}
template <class F, class T>
UPSWEEP_EMULATED_WORD T fetch(T volatile* place, T value, order o, scope s) {
  return atomic<T>(atomic_kind::update, place, update<F, T>, &value, o, s);
}
template <class T>
UPSWEEP_EMULATED_WORD T compare_and_swap(T volatile* place, T expected, T desired, order o,
                                         scope s) {
  T const pair[2] = {expected, desired};
  return atomic<T>(atomic_kind::compare_and_swap, place, exchange_if<T>, pair, o, s);
}
template <class T>
UPSWEEP_EMULATED_WORD T atomic_load(T const volatile* place, order o, scope s) {
  return atomic<T>(atomic_kind::load, place, read<T>, nullptr, o, s);
}
template <class T>
UPSWEEP_EMULATED_WORD void atomic_store(T volatile* place, T value, order o, scope s) {
  atomic<T>(atomic_kind::store, place, update<replace, T>, &value, o, s);
}

/// The types that nvcc takes: others are no words of CUDA.
template <class T, class... All>
concept is_among = (std::is_same_v<T, All> || ...);
template <class T>
concept can_order = is_among<T, int, unsigned, long long, unsigned long long>;
template <class T>
concept can_mask = is_among<T, int, unsigned, unsigned long long>;
template <class T>
concept atomic_half = requires { typename T::upsweep_atomic; };
template <class T>
concept can_add = is_among<T, int, unsigned, unsigned long long, float, double> || atomic_half<T>;
template <class T>
concept can_subtract = is_among<T, int, unsigned>;
template <class T>
concept can_count = is_among<T, unsigned>;
template <class T>
concept can_exchange = is_among<T, int, unsigned, unsigned long long, float> || sizeof(T) == 16;
template <class T>
concept can_compare =
    is_among<T, int, unsigned, unsigned long long, unsigned short> || sizeof(T) == 16;

}  // namespace upsweep::emulated

// Of the device, of one block, of the whole system; all are relaxed.
#define UPSWEEP_EMULATED_SCOPES(define, name, types, f)                \
  define(name, types, f, device) define(name##_block, types, f, block) \
      define(name##_system, types, f, system)
#define UPSWEEP_EMULATED_ATOMIC(name, types, f, where)                                 \
  template <upsweep::emulated::types T>                                                \
  UPSWEEP_EMULATED_WORD T name(T* place, std::type_identity_t<T> value) {              \
    using namespace upsweep::emulated;                                                 \
    return fetch<upsweep::emulated::f, T>(place, value, order::relaxed, scope::where); \
  }
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicAdd, can_add, add)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicSub, can_subtract, subtract)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicMin, can_order, smaller)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicMax, can_order, larger)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicAnd, can_mask, and_with)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicOr, can_mask, or_with)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicXor, can_mask, xor_with)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicExch, can_exchange, replace)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicInc, can_count, increment_below)
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_ATOMIC, atomicDec, can_count, decrement_to)
#undef UPSWEEP_EMULATED_ATOMIC
#define UPSWEEP_EMULATED_CAS(name, types, f, where)                        \
  template <upsweep::emulated::types T>                                    \
  UPSWEEP_EMULATED_WORD T name(T* place, std::type_identity_t<T> expected, \
                               std::type_identity_t<T> desired) {          \
    using namespace upsweep::emulated;                                     \
    return f<T>(place, expected, desired, order::relaxed, scope::where);   \
  }
UPSWEEP_EMULATED_SCOPES(UPSWEEP_EMULATED_CAS, atomicCAS, can_compare, compare_and_swap)
#undef UPSWEEP_EMULATED_CAS
#undef UPSWEEP_EMULATED_SCOPES

// The atomic functions of CUDA 12.8 with an order and a scope: __nv_atomic_fetch_add() and others.
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
