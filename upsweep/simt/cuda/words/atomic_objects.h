/// cuda::atomic and cuda::atomic_ref.
#pragma once

#include "../cuda_runtime.h"

#include <atomic>

namespace cuda {

namespace std {
enum memory_order : int {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
}  // namespace std
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

enum thread_scope : int {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

namespace detail {

namespace emulated = ::upsweep::emulated;

UPSWEEP_EMULATED_WORD constexpr emulated::scope scope_of(thread_scope s) {
  return s == thread_scope_system   ? emulated::scope::system
         : s == thread_scope_device ? emulated::scope::device
                                    : emulated::scope::block;
}
UPSWEEP_EMULATED_WORD constexpr emulated::order order_of(memory_order o) {
  return static_cast<emulated::order>(o);
}
/// Of a compare-exchange that fails.
UPSWEEP_EMULATED_WORD constexpr memory_order without_release(memory_order o) {
  return o == memory_order_acq_rel   ? memory_order_acquire
         : o == memory_order_release ? memory_order_relaxed
                                     : o;
}

template <class T, thread_scope scope>
class atomic_access {
 public:
  UPSWEEP_EMULATED_WORD T load(memory_order o = memory_order_seq_cst) const {
    return emulated::atomic_load<T>(place(), order_of(o), reach);
  }
  UPSWEEP_EMULATED_WORD void store(T value, memory_order o = memory_order_seq_cst) const {
    emulated::atomic_store<T>(place(), value, order_of(o), reach);
  }
  UPSWEEP_EMULATED_WORD operator T() const { return load(); }
  UPSWEEP_EMULATED_WORD T exchange(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::replace>(value, o);
  }
  UPSWEEP_EMULATED_WORD bool compare_exchange_strong(T& expected, T desired, memory_order o,
                                                     memory_order) const {
    T const old = emulated::compare_and_swap<T>(place(), expected, desired, order_of(o), reach);
    bool const is_same = __builtin_memcmp(&old, &expected, sizeof(T)) == 0;
    expected = old;
    return is_same;
  }
  UPSWEEP_EMULATED_WORD bool compare_exchange_strong(T& expected, T desired,
                                                     memory_order o = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, desired, o, without_release(o));
  }
  UPSWEEP_EMULATED_WORD bool compare_exchange_weak(T& expected, T desired, memory_order o,
                                                   memory_order failed) const {
    return compare_exchange_strong(expected, desired, o, failed);
  }
  UPSWEEP_EMULATED_WORD bool compare_exchange_weak(T& expected, T desired,
                                                   memory_order o = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, desired, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_add(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::add>(value, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_sub(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::subtract>(value, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_and(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::and_with>(value, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_or(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::or_with>(value, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_xor(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::xor_with>(value, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_min(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::smaller>(value, o);
  }
  UPSWEEP_EMULATED_WORD T fetch_max(T value, memory_order o = memory_order_seq_cst) const {
    return fetch<emulated::larger>(value, o);
  }
  UPSWEEP_EMULATED_WORD T operator++() const { return fetch_add(T{1}) + T{1}; }
  UPSWEEP_EMULATED_WORD T operator++(int) const { return fetch_add(T{1}); }
  UPSWEEP_EMULATED_WORD T operator--() const { return fetch_sub(T{1}) - T{1}; }
  UPSWEEP_EMULATED_WORD T operator--(int) const { return fetch_sub(T{1}); }
  UPSWEEP_EMULATED_WORD T operator+=(T value) const { return fetch_add(value) + value; }
  UPSWEEP_EMULATED_WORD T operator-=(T value) const { return fetch_sub(value) - value; }
  UPSWEEP_EMULATED_WORD T operator|=(T value) const { return fetch_or(value) | value; }
  UPSWEEP_EMULATED_WORD T operator&=(T value) const { return fetch_and(value) & value; }
  UPSWEEP_EMULATED_WORD void wait(T old, memory_order o = memory_order_seq_cst) const {
    while (load(o) == old) {
    }
  }
  UPSWEEP_EMULATED_WORD void notify_one() const {}
  UPSWEEP_EMULATED_WORD void notify_all() const {}
  UPSWEEP_EMULATED_WORD static constexpr bool is_lock_free() { return sizeof(T) <= 8; }

 protected:
  UPSWEEP_EMULATED_WORD explicit constexpr atomic_access(T* place) : place_(place) {}

 private:
  static constexpr emulated::scope reach = scope_of(scope);

  template <class F>
  UPSWEEP_EMULATED_WORD T fetch(T value, memory_order o) const {
    return emulated::fetch<F, T>(place(), value, order_of(o), reach);
  }
  UPSWEEP_EMULATED_WORD T* place() const { return place_; }

  T* place_;
};

}  // namespace detail

template <class T, thread_scope scope = thread_scope_system>
class atomic_ref : public detail::atomic_access<T, scope> {
 public:
  UPSWEEP_EMULATED_WORD explicit atomic_ref(T& element)
      : detail::atomic_access<T, scope>(&element) {}
  UPSWEEP_EMULATED_WORD T operator=(T value) const {
    this->store(value);
    return value;
  }
};

/// An object that only has atomic accesses; in shared memory it is not initialized.
template <class T, thread_scope scope = thread_scope_system>
class atomic {
  using access = atomic_ref<T, scope>;

 public:
  atomic() = default;
  UPSWEEP_EMULATED_WORD constexpr atomic(T value) : value_(value) {}
  atomic(atomic const&) = delete;
  atomic& operator=(atomic const&) = delete;

  UPSWEEP_EMULATED_WORD T operator=(T value) {
    at().store(value);
    return value;
  }
  UPSWEEP_EMULATED_WORD operator T() const { return at().load(); }
#define UPSWEEP_EMULATED_FORWARD(name)                                        \
  template <class... Arguments>                                               \
  UPSWEEP_EMULATED_WORD decltype(auto) name(Arguments&&... arguments) const { \
    return at().name(static_cast<Arguments&&>(arguments)...);                 \
  }
  UPSWEEP_EMULATED_FORWARD(load)
  UPSWEEP_EMULATED_FORWARD(store)
  UPSWEEP_EMULATED_FORWARD(exchange)
  UPSWEEP_EMULATED_FORWARD(compare_exchange_strong)
  UPSWEEP_EMULATED_FORWARD(compare_exchange_weak)
  UPSWEEP_EMULATED_FORWARD(fetch_add)
  UPSWEEP_EMULATED_FORWARD(fetch_sub)
  UPSWEEP_EMULATED_FORWARD(fetch_and)
  UPSWEEP_EMULATED_FORWARD(fetch_or)
  UPSWEEP_EMULATED_FORWARD(fetch_xor)
  UPSWEEP_EMULATED_FORWARD(fetch_min)
  UPSWEEP_EMULATED_FORWARD(fetch_max)
  UPSWEEP_EMULATED_FORWARD(wait)
  UPSWEEP_EMULATED_FORWARD(notify_one)
  UPSWEEP_EMULATED_FORWARD(notify_all)
  UPSWEEP_EMULATED_FORWARD(operator+=)
  UPSWEEP_EMULATED_FORWARD(operator-=)
  UPSWEEP_EMULATED_FORWARD(operator|=)
  UPSWEEP_EMULATED_FORWARD(operator&=)
#undef UPSWEEP_EMULATED_FORWARD
  UPSWEEP_EMULATED_WORD T operator++() const { return ++at(); }
  UPSWEEP_EMULATED_WORD T operator++(int) const { return at()++; }
  UPSWEEP_EMULATED_WORD T operator--() const { return --at(); }
  UPSWEEP_EMULATED_WORD T operator--(int) const { return at()--; }

 private:
  UPSWEEP_EMULATED_WORD access at() const { return access(const_cast<T&>(value_)); }

  T value_;
};

UPSWEEP_EMULATED_WORD void atomic_thread_fence(memory_order o,
                                               thread_scope s = thread_scope_system) {
  ::upsweep::emulated::fence(detail::scope_of(s), detail::order_of(o));
}

namespace std {
template <class T>
using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T>
using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
using ::cuda::atomic_thread_fence;
}  // namespace std

}  // namespace cuda
