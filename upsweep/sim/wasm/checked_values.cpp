/// What a signal tells elsewhere (upsweep/sim/watches.cpp). WebAssembly has none, and no trap that
/// can be caught: lab/wasm/arithmetic.mjs and the headers call these functions.
#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/hook_calls.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/watches.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::sim {

// Not noticed: an empty loop and an overflown stack of the host end with the program.

loop_watch::loop_watch(void (*)()) {}
loop_watch::~loop_watch() = default;
bool loop_watch::seen() {
  return false;
}

stack_watch::stack_watch(void (*)()) {}
stack_watch::~stack_watch() = default;

void watch_traps() {}

namespace {

bool is_in_kernel() {
  return running.lane != nullptr && here.by != nullptr && !here.busy && !here.failing;
}

/// A lane goes on with what x86-64's instruction has after watch_traps(); the host's code ends.
template <class T>
bool has_result(T a, T b) {
  if (b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1)))
    return true;
  if (!is_in_kernel()) __builtin_trap();
  if (b == 0) note_division(here.by->launch().found, position::of_call(UPSWEEP_SIM_CALLER));
  return false;
}
template <class T>
T quotient(T a, T b) {
  return has_result(a, b) ? static_cast<T>(a / b) : b == 0 ? static_cast<T>(-1) : a;
}
template <class T>
T rest(T a, T b) {
  return has_result(a, b) ? static_cast<T>(a % b) : b == 0 ? a : T{0};
}

}  // namespace

}  // namespace upsweep::sim

#define UPSWEEP_SIM_DIVISION(name, type, f)                      \
  UPSWEEP_SIM_EXPORTED type upsweep_sim_##name(type a, type b) { \
    return upsweep::sim::f(a, b);                                \
  }
UPSWEEP_SIM_DIVISION(sdiv_i32, std::int32_t, quotient)
UPSWEEP_SIM_DIVISION(udiv_i32, std::uint32_t, quotient)
UPSWEEP_SIM_DIVISION(sdiv_i64, std::int64_t, quotient)
UPSWEEP_SIM_DIVISION(udiv_i64, std::uint64_t, quotient)
UPSWEEP_SIM_DIVISION(srem_i32, std::int32_t, rest)
UPSWEEP_SIM_DIVISION(urem_i32, std::uint32_t, rest)
UPSWEEP_SIM_DIVISION(srem_i64, std::int64_t, rest)
UPSWEEP_SIM_DIVISION(urem_i64, std::uint64_t, rest)
#undef UPSWEEP_SIM_DIVISION

/// A function of a program begins, with a variable at `variable`.
UPSWEEP_SIM_EXPORTED void upsweep_sim_check_stack(std::byte const* variable) {
  using namespace upsweep::sim;
  if (is_in_kernel() && variable < running_lane().on->program_stack)
    here.by->scheduler().leave_overflown_stack();
}

UPSWEEP_SIM_EXPORTED void upsweep_emulated_own_index(char const* array, long long index,
                                                     unsigned elements) {
  using namespace upsweep::sim;
  if (static_cast<unsigned long long>(index) < elements || !is_in_kernel()) return;
  outside_own_array(here.by->launch().found, index, array, elements,
                    position::of_call(UPSWEEP_SIM_CALLER));
}
