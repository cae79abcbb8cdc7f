/// The hooks that compilers call instead of the host's atomic operations (std::atomic, guards of
/// local statics) under -fsanitize=thread. They are executed, and no access of a kernel. Their
/// names are given to the assembler only: with a sanitizer, g++ declares functions of these names
/// itself.
#include <upsweep/sim/hook_calls.hpp>

#include <atomic>
#include <cstdint>

// The head of hook __tsan_<name>.
#define UPSWEEP_SIM_HOOK(result, name, ...)                                 \
  UPSWEEP_SIM_EXPORTED result sim_##name(__VA_ARGS__) asm("__tsan_" #name); \
  result sim_##name(__VA_ARGS__)
#define UPSWEEP_SIM_FETCH(type, bits, name)                                                    \
  UPSWEEP_SIM_HOOK(type, atomic##bits##_fetch_##name, type volatile* place, type value, int) { \
    return __atomic_fetch_##name(place, value, __ATOMIC_SEQ_CST);                              \
  }
#define UPSWEEP_SIM_COMPARE(type, bits, name, is_weak)                                      \
  UPSWEEP_SIM_HOOK(int, atomic##bits##_compare_exchange_##name, type volatile* place,       \
                   type* expected, type desired, int, int) {                                \
    return __atomic_compare_exchange_n(place, expected, desired, is_weak, __ATOMIC_SEQ_CST, \
                                       __ATOMIC_SEQ_CST);                                   \
  }
#define UPSWEEP_SIM_ATOMICS(type, bits)                                                    \
  UPSWEEP_SIM_HOOK(type, atomic##bits##_load, type const volatile* place, int) {           \
    return __atomic_load_n(place, __ATOMIC_SEQ_CST);                                       \
  }                                                                                        \
  UPSWEEP_SIM_HOOK(void, atomic##bits##_store, type volatile* place, type value, int) {    \
    __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                                      \
  }                                                                                        \
  UPSWEEP_SIM_HOOK(type, atomic##bits##_exchange, type volatile* place, type value, int) { \
    return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST);                            \
  }                                                                                        \
  UPSWEEP_SIM_FETCH(type, bits, add)                                                       \
  UPSWEEP_SIM_FETCH(type, bits, sub)                                                       \
  UPSWEEP_SIM_FETCH(type, bits, and)                                                       \
  UPSWEEP_SIM_FETCH(type, bits, or)                                                        \
  UPSWEEP_SIM_FETCH(type, bits, xor)                                                       \
  UPSWEEP_SIM_COMPARE(type, bits, strong, false)                                           \
  UPSWEEP_SIM_COMPARE(type, bits, weak, true)
UPSWEEP_SIM_ATOMICS(std::uint8_t, 8)
UPSWEEP_SIM_ATOMICS(std::uint16_t, 16)
UPSWEEP_SIM_ATOMICS(std::uint32_t, 32)
UPSWEEP_SIM_ATOMICS(std::uint64_t, 64)
UPSWEEP_SIM_HOOK(void, atomic_thread_fence, int) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
UPSWEEP_SIM_HOOK(void, atomic_signal_fence, int) {}
