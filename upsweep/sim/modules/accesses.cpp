/// The hooks that compilers call before the accesses of a module, under -fsanitize=thread.
///
/// The name has the size and the direction, the argument is the address of the element, and the
/// return address is the position in the source.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/addresses.hpp>
#include <upsweep/sim/modules/current_machine.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::sim {

namespace {

/// An access of `bytes` bytes, which starts at a multiple of `alignment`.
constexpr layout layout_of_access(std::size_t bytes, std::size_t alignment) {
  return static_cast<layout>(bytes | (alignment - 1) << 16);
}

/// Whether the address is shortly above the stack pointer, so in the running lane's own stack. The
/// stack's bounds are in the lane's fiber, which is seldom in the cache.
[[gnu::always_inline]] inline bool is_in_near_frame(std::byte const* p) {
#if defined(__x86_64__)
  std::byte const* top;
  asm("movq %%rsp, %0" : "=r"(top));
#else
  auto const* const top = static_cast<std::byte const*>(__builtin_frame_address(0));
#endif
  return static_cast<std::size_t>(p - top) < stack_reach;
}

template <step_kind kind>
[[gnu::always_inline]] inline void reported(void* place, layout type, std::uint64_t pc) {
  auto* const p = static_cast<std::byte*>(place);
  if (running.lane == nullptr) [[unlikely]]
    return note_host_access(p, type & 0xffffu, kind, pc);
  position const at = position::of_call(pc);
  memory* const m = memory_at(p, kind, at);
  if (m == nullptr) [[unlikely]]
    return;
  access<kind>(m, p - m->data, type, at, pc);
}

/// A call of its own, so that accesses of the lane's stack save no registers.
template <step_kind kind, layout type>
[[gnu::noinline]] void reported_elsewhere(void* place, std::uint64_t pc) {
  reported<kind>(place, type, pc);
}
template <step_kind kind, layout type>
[[gnu::always_inline]] inline void reported_unless_near(void* place, std::uint64_t pc) {
  if (is_in_near_frame(static_cast<std::byte*>(place))) [[likely]]
    return;
  reported_elsewhere<kind, type>(place, pc);
}

bool read_bytes(std::byte* place, void const* bytes, void* old) {
  std::memcpy(old, place, *static_cast<std::size_t const*>(bytes));
  return false;
}
/// The kernel writes after this hook.
bool will_write(std::byte*, void const*, void*) {
  return true;
}

/// In global memory a volatile access is a relaxed atomic one between blocks, as in PTX, and counts
/// as the load or store that it is. In shared memory it stays plain: code that relies on lanes in
/// lockstep has a race, also on the schedule `lockstep`, which makes the lanes of a warp wait for
/// each other here.
template <step_kind kind>
[[gnu::noinline]] void reported_volatile(void* place, layout type, std::uint64_t pc) {
  auto* const p = static_cast<std::byte*>(place);
  std::size_t const bytes = type & 0xffffu;
  position const at = position::of_call(pc);
  memory* const m = running.lane == nullptr || bytes > 8 ? nullptr : memory_at(p, kind, at);
  if (m == nullptr) return reported<kind>(place, type, pc);
  if (here.by->launch().how.how == schedule::lockstep) lanes_together(pc);
  here.last_volatile = at;
  if (m->owner != nullptr) return reported<kind>(place, type, pc);
  std::uint64_t old = 0;
  bool const reads = kind == step_kind::load;
  atomic_call const call{reads ? atomic_kind::load : atomic_kind::store,
                         true,
                         std::memory_order_relaxed,
                         type,
                         reads ? read_bytes : will_write,
                         &bytes,
                         &old,
                         true};
  atomic_access<kind>(*m, p, call, pc);
  // A lane that polls lets others run first. The kernel then reads what they have written.
  while (reads && std::memcmp(p, &old, bytes) != 0)
    without_throwing([&] { here.by->atomics().access(*m, p - m->data, call, at); });
}

/// The largest power of two that divides the address and the size.
std::size_t unit_of(void const* place, std::size_t bytes) {
  std::size_t const ends = reinterpret_cast<std::uintptr_t>(place) | bytes;
  return ends & (0 - ends);
}

/// Bytes that move together, in instructions of `unit` bytes.
template <step_kind kind>
void reported_bytes(void const* place, std::size_t bytes, std::size_t unit, std::uint64_t pc) {
  constexpr std::size_t most = 2048;
  auto* p = static_cast<std::byte*>(const_cast<void*>(place));
  for (std::size_t done = 0; done < bytes; done += most)
    reported<kind>(p + done, layout_of_access(std::min(most, bytes - done), unit), pc);
}
/// A copy: one instruction if it could be, else words or single bytes.
template <step_kind kind>
void reported_copy(void const* place, std::size_t bytes, std::uint64_t pc) {
  std::size_t const unit = unit_of(place, bytes);
  reported_bytes<kind>(place, bytes, std::min<std::size_t>(unit, bytes == unit ? 16 : 4), pc);
}
/// A struct that is larger than its alignment, which the compiler does not say: words or single
/// bytes.
template <step_kind kind>
void reported_range(void const* place, std::size_t bytes, std::uint64_t pc) {
  std::size_t const unit = std::min<std::size_t>(unit_of(place, bytes), 4);
  reported_bytes<kind>(place, bytes, unit < bytes ? unit : std::max<std::size_t>(bytes / 2, 1), pc);
}

/// A struct, as g++ reports it: one access if it is as large as its alignment.
template <step_kind kind>
[[maybe_unused]] void reported_struct(void const* place, std::size_t bytes, std::size_t alignment,
                                      std::uint64_t pc) {
  bool const is_one = bytes <= std::min<std::size_t>(alignment, 16) && std::has_single_bit(bytes);
  if (is_one)
    reported<kind>(const_cast<void*>(place), layout_of_access(bytes, bytes), pc);
  else
    reported_range<kind>(place, bytes, pc);
}

}  // namespace

}  // namespace upsweep::sim

using upsweep::sim::layout_of_access;
using upsweep::sim::reported;
using upsweep::sim::reported_copy;
using upsweep::sim::reported_range;
using upsweep::sim::reported_struct;
using upsweep::sim::reported_unless_near;
using upsweep::sim::reported_volatile;
using upsweep::sim::step_kind;

#define UPSWEEP_SIM_HOOKS(size)                                                                  \
  UPSWEEP_SIM_EXPORTED void __tsan_read##size(void* p) {                                         \
    reported_unless_near<step_kind::load, layout_of_access(size, size)>(p, UPSWEEP_SIM_CALLER);  \
  }                                                                                              \
  UPSWEEP_SIM_EXPORTED void __tsan_write##size(void* p) {                                        \
    reported_unless_near<step_kind::store, layout_of_access(size, size)>(p, UPSWEEP_SIM_CALLER); \
  }                                                                                              \
  UPSWEEP_SIM_EXPORTED void __tsan_unaligned_read##size(void* p) {                               \
    reported_range<step_kind::load>(p, size, UPSWEEP_SIM_CALLER);                                \
  }                                                                                              \
  UPSWEEP_SIM_EXPORTED void __tsan_unaligned_write##size(void* p) {                              \
    reported_range<step_kind::store>(p, size, UPSWEEP_SIM_CALLER);                               \
  }                                                                                              \
  UPSWEEP_SIM_EXPORTED void __tsan_read_write##size(void* p) {                                   \
    reported<step_kind::load>(p, layout_of_access(size, size), UPSWEEP_SIM_CALLER);              \
    reported<step_kind::store>(p, layout_of_access(size, size), UPSWEEP_SIM_CALLER + 1);         \
  }                                                                                              \
  UPSWEEP_SIM_EXPORTED void __tsan_volatile_read##size(void* p) {                                \
    reported_volatile<step_kind::load>(p, layout_of_access(size, size), UPSWEEP_SIM_CALLER);     \
  }                                                                                              \
  UPSWEEP_SIM_EXPORTED void __tsan_volatile_write##size(void* p) {                               \
    reported_volatile<step_kind::store>(p, layout_of_access(size, size), UPSWEEP_SIM_CALLER);    \
  }
UPSWEEP_SIM_HOOKS(1)
UPSWEEP_SIM_HOOKS(2)
UPSWEEP_SIM_HOOKS(4)
UPSWEEP_SIM_HOOKS(8)
UPSWEEP_SIM_HOOKS(16)
#undef UPSWEEP_SIM_HOOKS

// The types are those that g++ knows them by.
UPSWEEP_SIM_EXPORTED void __tsan_read_range(void* p, std::ptrdiff_t bytes) {
  reported_range<step_kind::load>(p, static_cast<std::size_t>(bytes), UPSWEEP_SIM_CALLER);
}
UPSWEEP_SIM_EXPORTED void __tsan_write_range(void* p, std::ptrdiff_t bytes) {
  reported_range<step_kind::store>(p, static_cast<std::size_t>(bytes), UPSWEEP_SIM_CALLER);
}
// Clang calls these instead of the functions; with g++ the headers do.
UPSWEEP_SIM_EXPORTED void* __tsan_memcpy(void* to, void const* from, std::size_t bytes) {
  reported_copy<step_kind::load>(from, bytes, UPSWEEP_SIM_CALLER);
  reported_copy<step_kind::store>(to, bytes, UPSWEEP_SIM_CALLER);
  return std::memcpy(to, from, bytes);
}
UPSWEEP_SIM_EXPORTED void* __tsan_memmove(void* to, void const* from, std::size_t bytes) {
  reported_copy<step_kind::load>(from, bytes, UPSWEEP_SIM_CALLER);
  reported_copy<step_kind::store>(to, bytes, UPSWEEP_SIM_CALLER);
  return std::memmove(to, from, bytes);
}
UPSWEEP_SIM_EXPORTED void* __tsan_memset(void* to, int value, std::size_t bytes) {
  reported_copy<step_kind::store>(to, bytes, UPSWEEP_SIM_CALLER);
  return std::memset(to, value, bytes);
}
UPSWEEP_SIM_EXPORTED void* upsweep_emulated_copy(void* to, void const* from, std::size_t bytes) {
  reported_copy<step_kind::load>(from, bytes, UPSWEEP_SIM_CALLER);
  reported_copy<step_kind::store>(to, bytes, UPSWEEP_SIM_CALLER);
  return std::memmove(to, from, bytes);
}
UPSWEEP_SIM_EXPORTED void* upsweep_emulated_set(void* to, int value, std::size_t bytes) {
  reported_copy<step_kind::store>(to, bytes, UPSWEEP_SIM_CALLER);
  return std::memset(to, value, bytes);
}
#ifdef __wasm__  // lab/wasm/instrument.mjs calls these
UPSWEEP_SIM_EXPORTED void upsweep_emulated_copy_struct(void* to, void const* from,
                                                       std::size_t bytes, std::size_t to_alignment,
                                                       std::size_t from_alignment) {
  reported_struct<step_kind::load>(from, bytes, from_alignment, UPSWEEP_SIM_CALLER);
  reported_struct<step_kind::store>(to, bytes, to_alignment, UPSWEEP_SIM_CALLER);
  std::memmove(to, from, bytes);
}
UPSWEEP_SIM_EXPORTED void upsweep_emulated_set_struct(void* to, int value, std::size_t bytes,
                                                      std::size_t alignment) {
  reported_struct<step_kind::store>(to, bytes, alignment, UPSWEEP_SIM_CALLER);
  std::memset(to, value, bytes);
}
#endif
UPSWEEP_SIM_EXPORTED void __tsan_init() {}
UPSWEEP_SIM_EXPORTED void __tsan_func_entry(void*) {}
UPSWEEP_SIM_EXPORTED void __tsan_func_exit(void*) {}
UPSWEEP_SIM_EXPORTED void __tsan_vptr_read(void**) {}
UPSWEEP_SIM_EXPORTED void __tsan_vptr_update(void*, void*) {}

// The hooks that compilers call instead of the host's atomic operations (std::atomic, guards of
// local statics) under -fsanitize=thread. They are executed, and no access of a kernel. Their
// names are given to the assembler only: with a sanitizer, g++ declares functions of these names
// itself.

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
