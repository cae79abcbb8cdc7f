/// malloc(), free(), new, delete and printf() of a module. The linker gives it these functions
/// (--wrap): in kernels they use the heap of the device, in host code that of the process.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/modules/addresses.hpp>
#include <upsweep/sim/modules/current_machine.hpp>
#include <upsweep/sim/sentences.hpp>

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace upsweep::sim {

namespace {

constexpr std::size_t usual_alignment = 16;

/// The emulator itself may use instances of the standard library's templates that are a module's.
bool is_in_kernel() {
  return running.lane != nullptr && !here.busy;
}

void* take(std::size_t bytes, std::size_t alignment, char const* verb, std::uint64_t pc) {
  busy_scope const busy;
  if (current_machine() == nullptr) return nullptr;  // only programs have a heap
  return current_machine()->heap().allocate(bytes, alignment, verb, position::of_call(pc));
}
void give(void* place, char const* verb, std::uint64_t pc) {
  if (place == nullptr || current_machine() == nullptr) return;
  busy_scope const busy;
  without_throwing([&] {
    current_machine()->heap().release(static_cast<std::byte*>(place), verb, position::of_call(pc),
                                      here.by->launch().found);
  });
}

/// Host code cannot free the device's memory.
bool is_of_device(void* place, char const* verb, std::uint64_t pc) {
  machine_engine* const machine = current_machine();
  if (machine == nullptr || !machine->heap().contains(place)) return false;
  position const at = position::of_call(pc);
  machine->found().note(finding_kind::wrong_memory, at, {}, [&] {
    return say("the host calls ", verb, " at ", short_name(at),
               " for memory that a kernel has taken from the heap of the device: free it in a "
               "kernel");
  });
  return true;
}

}  // namespace

}  // namespace upsweep::sim

using namespace upsweep::sim;

#define UPSWEEP_SIM_NEW(symbol, parameters, alignment, ...)                                  \
  UPSWEEP_SIM_EXPORTED void* __wrap_##symbol parameters;                                     \
  void* __wrap_##symbol parameters {                                                         \
    return is_in_kernel() ? take(bytes, alignment, "new", UPSWEEP_SIM_CALLER) : __VA_ARGS__; \
  }
#define UPSWEEP_SIM_DELETE(symbol, parameters, ...)                       \
  UPSWEEP_SIM_EXPORTED void __wrap_##symbol parameters;                   \
  void __wrap_##symbol parameters {                                       \
    if (is_in_kernel()) return give(place, "delete", UPSWEEP_SIM_CALLER); \
    if (!is_of_device(place, "delete", UPSWEEP_SIM_CALLER)) __VA_ARGS__;  \
  }

UPSWEEP_SIM_EXPORTED void* __wrap_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  return is_in_kernel() ? take(bytes, usual_alignment, "malloc()", UPSWEEP_SIM_CALLER)
                        : std::malloc(bytes);
}
UPSWEEP_SIM_EXPORTED void __wrap_free(void* place);
void __wrap_free(void* place) {
  if (is_in_kernel()) return give(place, "free()", UPSWEEP_SIM_CALLER);
  if (!is_of_device(place, "free()", UPSWEEP_SIM_CALLER)) std::free(place);
}
UPSWEEP_SIM_NEW(_Znwm, (std::size_t bytes), usual_alignment, ::operator new(bytes))
UPSWEEP_SIM_NEW(_Znam, (std::size_t bytes), usual_alignment, ::operator new[](bytes))
UPSWEEP_SIM_NEW(_ZnwmRKSt9nothrow_t, (std::size_t bytes, std::nothrow_t const& tag),
                usual_alignment, ::operator new(bytes, tag))
UPSWEEP_SIM_NEW(_ZnamRKSt9nothrow_t, (std::size_t bytes, std::nothrow_t const& tag),
                usual_alignment, ::operator new[](bytes, tag))
UPSWEEP_SIM_NEW(_ZnwmSt11align_val_t, (std::size_t bytes, std::align_val_t alignment),
                static_cast<std::size_t>(alignment), ::operator new(bytes, alignment))
UPSWEEP_SIM_NEW(_ZnamSt11align_val_t, (std::size_t bytes, std::align_val_t alignment),
                static_cast<std::size_t>(alignment), ::operator new[](bytes, alignment))
UPSWEEP_SIM_DELETE(_ZdlPv, (void* place), ::operator delete(place))
UPSWEEP_SIM_DELETE(_ZdaPv, (void* place), ::operator delete[](place))
UPSWEEP_SIM_DELETE(_ZdlPvm, (void* place, std::size_t), ::operator delete(place))
UPSWEEP_SIM_DELETE(_ZdaPvm, (void* place, std::size_t), ::operator delete[](place))
UPSWEEP_SIM_DELETE(_ZdlPvSt11align_val_t, (void* place, std::align_val_t alignment),
                   ::operator delete(place, alignment))
UPSWEEP_SIM_DELETE(_ZdaPvSt11align_val_t, (void* place, std::align_val_t alignment),
                   ::operator delete[](place, alignment))
UPSWEEP_SIM_DELETE(_ZdlPvmSt11align_val_t, (void* place, std::size_t, std::align_val_t alignment),
                   ::operator delete(place, alignment))
UPSWEEP_SIM_DELETE(_ZdaPvmSt11align_val_t, (void* place, std::size_t, std::align_val_t alignment),
                   ::operator delete[](place, alignment))

// A launch that prints is not one that can be left out.
UPSWEEP_SIM_EXPORTED [[gnu::format(printf, 1, 2)]] int __wrap_printf(char const* format, ...);
int __wrap_printf(char const* format, ...) {
  if (is_in_kernel()) has_other_effects.store(true, std::memory_order_relaxed);
  va_list arguments;
  va_start(arguments, format);
  int const printed = std::vprintf(format, arguments);
  va_end(arguments);
  return printed;
}
UPSWEEP_SIM_EXPORTED int __wrap_puts(char const* text);
int __wrap_puts(char const* text) {
  if (is_in_kernel()) has_other_effects.store(true, std::memory_order_relaxed);
  return std::puts(text);
}
UPSWEEP_SIM_EXPORTED int __wrap_putchar(int character);
int __wrap_putchar(int character) {
  if (is_in_kernel()) has_other_effects.store(true, std::memory_order_relaxed);
  return std::putchar(character);
}

UPSWEEP_SIM_EXPORTED std::size_t upsweep_emulated_heap_limit() {
  return current_machine()->heap().limit();
}
UPSWEEP_SIM_EXPORTED int upsweep_emulated_set_heap_limit(std::size_t bytes) {
  enum { success = 0, invalid_value = 1 };
  if (current_machine()->heap().set_limit(bytes)) return success;
  return upsweep_emulated_fail(
      invalid_value,
      "cudaDeviceSetLimit(cudaLimitMallocHeapSize) must come before the first launch of a kernel "
      "that takes memory from the heap");
}
