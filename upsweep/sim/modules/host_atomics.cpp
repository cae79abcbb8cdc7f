/// The hooks that compilers call in place of the host's atomic operations (std::atomic, guards of
/// local statics) under -fsanitize=thread. They are executed, and no access of a kernel.
#include <upsweep/sim/modules/exported.hpp>

#include <atomic>
#include <cstdint>

#define UPSWEEP_SIM_FETCH(bits, name)                                          \
  UPSWEEP_SIM_EXPORTED std::uint##bits##_t __tsan_atomic##bits##_fetch_##name( \
      std::uint##bits##_t volatile* place, std::uint##bits##_t value, int) {   \
    return __atomic_fetch_##name(place, value, __ATOMIC_SEQ_CST);              \
  }
#define UPSWEEP_SIM_COMPARE(bits, name, is_weak)                                            \
  UPSWEEP_SIM_EXPORTED int __tsan_atomic##bits##_compare_exchange_##name(                   \
      std::uint##bits##_t volatile* place, std::uint##bits##_t* expected,                   \
      std::uint##bits##_t desired, int, int) {                                              \
    return __atomic_compare_exchange_n(place, expected, desired, is_weak, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                                   \
  }
#define UPSWEEP_SIM_ATOMICS(bits)                                                            \
  UPSWEEP_SIM_EXPORTED std::uint##bits##_t __tsan_atomic##bits##_load(                       \
      std::uint##bits##_t const volatile* place, int) {                                      \
    return __atomic_load_n(place, __ATOMIC_SEQ_CST);                                         \
  }                                                                                          \
  UPSWEEP_SIM_EXPORTED void __tsan_atomic##bits##_store(std::uint##bits##_t volatile* place, \
                                                        std::uint##bits##_t value, int) {    \
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                          \
  UPSWEEP_SIM_EXPORTED std::uint##bits##_t __tsan_atomic##bits##_exchange(                   \
      std::uint##bits##_t volatile* place, std::uint##bits##_t value, int) {                 \
    return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);                              \
  }                                                                                          \
  UPSWEEP_SIM_FETCH(bits, add)                                                               \
  UPSWEEP_SIM_FETCH(bits, sub)                                                               \
  UPSWEEP_SIM_FETCH(bits, and)                                                               \
  UPSWEEP_SIM_FETCH(bits, or)                                                                \
  UPSWEEP_SIM_FETCH(bits, xor)                                                               \
  UPSWEEP_SIM_COMPARE(bits, strong, false)                                                   \
  UPSWEEP_SIM_COMPARE(bits, weak, true)
UPSWEEP_SIM_ATOMICS(8)
UPSWEEP_SIM_ATOMICS(16)
UPSWEEP_SIM_ATOMICS(32)
UPSWEEP_SIM_ATOMICS(64)
UPSWEEP_SIM_EXPORTED void __tsan_atomic_thread_fence(int) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
UPSWEEP_SIM_EXPORTED void __tsan_atomic_signal_fence(int) {}
