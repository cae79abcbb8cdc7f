/// Atomic functions, fences and `cuda::atomic_ref` of an emulated kernel, under CUDA's names.
#pragma once

#include <bit>

#include <upsweep/simt/emulated/pointer.hpp>

#define UPSWEEP_SIMT_QUIET __attribute__((noinline)) UPSWEEP_SIMT_UNCOUNTED

namespace upsweep::simt::emulated {

struct add {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return static_cast<T>(a + b);
  }
};
struct subtract {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return static_cast<T>(a - b);
  }
};
struct smaller {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct larger {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
struct and_with {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct or_with {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct xor_with {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct replace {
  template <class T>
  UPSWEEP_SIMT_QUIET static T apply(T, T b) {
    return b;
  }
};

/// Atomics run inside a hook, so their branches are not part of the kernel's control flow.
template <class F, class T>
UPSWEEP_SIMT_QUIET bool update(std::byte* place, void const* operand, void* old) {
  T& element = *reinterpret_cast<T*>(place);
  T const before = element;
  *static_cast<T*>(old) = before;
  element = F::template apply<T>(before, *static_cast<T const*>(operand));
  return __builtin_memcmp(&before, &element, sizeof(T)) != 0;
}
template <class T>
UPSWEEP_SIMT_QUIET bool read(std::byte* place, void const*, void* old) {
  *static_cast<T*>(old) = *reinterpret_cast<T const*>(place);
  return false;
}
/// `operand` is the expected value followed by the desired one. Bytes are compared, as on a GPU.
template <class T>
UPSWEEP_SIMT_QUIET bool exchange_if(std::byte* place, void const* operand, void* old) {
  T const* const pair = static_cast<T const*>(operand);
  T& element = *reinterpret_cast<T*>(place);
  *static_cast<T*>(old) = element;
  if (__builtin_memcmp(&element, pair, sizeof(T)) != 0) return false;
  element = pair[1];
  return __builtin_memcmp(pair, pair + 1, sizeof(T)) != 0;
}

template <class F, class T>
UPSWEEP_SIMT_INLINE T fetch(pointer<T> p, T value, std::memory_order order, bool device_wide,
                            position at) {
  T old;
  emulated::atomic(
      p.base(), p.byte(),
      {atomic_kind::update, device_wide, order, layout_of<T>, update<F, T>, &value, &old}, at);
  return old;
}
template <class T>
UPSWEEP_SIMT_INLINE T compare_and_swap(pointer<T> p, T expected, T desired, std::memory_order order,
                                       bool device_wide, position at) {
  T const pair[2] = {expected, desired};
  T old;
  emulated::atomic(
      p.base(), p.byte(),
      {atomic_kind::update, device_wide, order, layout_of<T>, exchange_if<T>, pair, &old}, at);
  return old;
}

}  // namespace upsweep::simt::emulated

#define UPSWEEP_SIMT_ATOMIC(name, f)                                                               \
  template <class T>                                                                               \
  UPSWEEP_SIMT_INLINE T name(upsweep::simt::emulated::pointer<T> p, std::type_identity_t<T> value, \
                             std::source_location at = std::source_location::current()) {          \
    return upsweep::simt::emulated::fetch<upsweep::simt::emulated::f, T>(                          \
        p, value, std::memory_order_relaxed, true, at);                                            \
  }
UPSWEEP_SIMT_ATOMIC(atomicAdd, add)
UPSWEEP_SIMT_ATOMIC(atomicSub, subtract)
UPSWEEP_SIMT_ATOMIC(atomicMin, smaller)
UPSWEEP_SIMT_ATOMIC(atomicMax, larger)
UPSWEEP_SIMT_ATOMIC(atomicAnd, and_with)
UPSWEEP_SIMT_ATOMIC(atomicOr, or_with)
UPSWEEP_SIMT_ATOMIC(atomicXor, xor_with)
UPSWEEP_SIMT_ATOMIC(atomicExch, replace)
#undef UPSWEEP_SIMT_ATOMIC

template <class T>
UPSWEEP_SIMT_INLINE T atomicCAS(upsweep::simt::emulated::pointer<T> p,
                                std::type_identity_t<T> expected, std::type_identity_t<T> desired,
                                std::source_location at = std::source_location::current()) {
  return upsweep::simt::emulated::compare_and_swap<T>(p, expected, desired,
                                                      std::memory_order_relaxed, true, at);
}

UPSWEEP_SIMT_INLINE void __threadfence(std::source_location at = std::source_location::current()) {
  upsweep::simt::emulated::fence(true, std::memory_order_seq_cst, at);
}
UPSWEEP_SIMT_INLINE void __threadfence_block(
    std::source_location at = std::source_location::current()) {
  upsweep::simt::emulated::fence(false, std::memory_order_seq_cst, at);
}

namespace cuda {

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

namespace std {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace std

/// libcu++'s `cuda::atomic_ref` for an element of emulated memory:
/// `cuda::atomic_ref<T, cuda::thread_scope_device> flag(flags[i]);`
template <class T, thread_scope scope = thread_scope_system>
class atomic_ref {
  using place = ::std::source_location;
  static constexpr bool is_wide = scope <= thread_scope_device;

 public:
  template <class Base>
  UPSWEEP_SIMT_INLINE explicit atomic_ref(
      upsweep::simt::emulated::reference<T, Base> const& element)
      : at_(&element) {}

  UPSWEEP_SIMT_INLINE T load(memory_order order = memory_order_seq_cst,
                             place where = place::current()) const {
    T old;
    upsweep::simt::emulated::atomic(
        at_.base(), at_.byte(),
        {upsweep::simt::emulated::atomic_kind::load, is_wide, order,
         upsweep::simt::emulated::layout_of<T>, upsweep::simt::emulated::read<T>, nullptr, &old},
        where);
    return old;
  }
  UPSWEEP_SIMT_INLINE void store(T value, memory_order order = memory_order_seq_cst,
                                 place where = place::current()) const {
    T old;
    upsweep::simt::emulated::atomic(
        at_.base(), at_.byte(),
        {upsweep::simt::emulated::atomic_kind::store, is_wide, order,
         upsweep::simt::emulated::layout_of<T>,
         upsweep::simt::emulated::update<upsweep::simt::emulated::replace, T>, &value, &old},
        where);
  }
#define UPSWEEP_SIMT_FETCH(name, f)                                                         \
  UPSWEEP_SIMT_INLINE T name(T value, memory_order order = memory_order_seq_cst,            \
                             place where = place::current()) const {                        \
    return upsweep::simt::emulated::fetch<upsweep::simt::emulated::f, T>(at_, value, order, \
                                                                         is_wide, where);   \
  }
  UPSWEEP_SIMT_FETCH(exchange, replace)
  UPSWEEP_SIMT_FETCH(fetch_add, add)
  UPSWEEP_SIMT_FETCH(fetch_sub, subtract)
  UPSWEEP_SIMT_FETCH(fetch_min, smaller)
  UPSWEEP_SIMT_FETCH(fetch_max, larger)
  UPSWEEP_SIMT_FETCH(fetch_and, and_with)
  UPSWEEP_SIMT_FETCH(fetch_or, or_with)
  UPSWEEP_SIMT_FETCH(fetch_xor, xor_with)
#undef UPSWEEP_SIMT_FETCH
  UPSWEEP_SIMT_INLINE bool compare_exchange_strong(T& expected, T desired,
                                                   memory_order order = memory_order_seq_cst,
                                                   place where = place::current()) const {
    T const before = expected;
    expected =
        upsweep::simt::emulated::compare_and_swap<T>(at_, before, desired, order, is_wide, where);
    return __builtin_memcmp(&before, &expected, sizeof(T)) == 0;
  }

 private:
  upsweep::simt::emulated::pointer<T> at_;
};

UPSWEEP_SIMT_INLINE void atomic_thread_fence(
    memory_order order, thread_scope scope = thread_scope_system,
    ::std::source_location at = ::std::source_location::current()) {
  upsweep::simt::emulated::fence(scope <= thread_scope_device, order, at);
}

}  // namespace cuda
