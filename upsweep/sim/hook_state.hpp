/// What the hooks of a kernel read at every access and at every basic block: one record for each
/// thread of the host.
#pragma once

#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

class checker;
class runner;

/// Copies of what the parts of the emulator own, at hand where each nanosecond counts. `runner`
/// fills it in when a launch starts; `shared_arrays` keeps the arrays, `scheduler` and `at_work`
/// keep `busy`, and whoever is about to fail sets `failing` before a sentence is put together. Only
/// what is called from outside uses `by`: hooks, fibers, signals.
struct hook_state {
  runner* by = nullptr;                  ///< whose lanes this thread of the host is running
  checker* checks = nullptr;             ///< null without checks
  memory* const* arrays = nullptr;       ///< of the running block, by slot
  unsigned char const* slots = nullptr;  ///< by number of the key
  unsigned known_keys = 0;
  emulated::shared_key const* recent_key =
      nullptr;  ///< of the array that the running block used last
  memory* recent_array = nullptr;
  int countdown = 0;     ///< how often a basic block is met before the emulator has a look, where
                         ///< neither logs nor turns are kept; 0 where they are
  bool watches = false;  ///< accesses are logged or checked
  bool logs = false;
  bool traces = false;
  bool interrupts = false;  ///< lanes have short turns
  /// The emulator is at work for the running lane, or an exception is on its way. Functions of the
  /// standard library that it calls may have been compiled like kernels by a translation unit of
  /// kernels; then their basic blocks are neither logged nor a reason to switch.
  bool busy = false;
  bool failing = false;
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local hook_state here;

/// Where no log is kept a basic block counts down a number that it shares with few others: counting
/// all in one place would make each block of a kernel wait for the one before it.
inline constexpr std::size_t countdown_count = 256;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local int countdowns[countdown_count];
[[nodiscard]] constexpr std::size_t countdown_of(std::uint64_t pc) {
  return pc & (countdown_count - 1);
}

[[nodiscard]] inline lane& running_lane() {
  return *static_cast<lane*>(emulated::running.lane);
}

/// Makes the emulator busy while it serves a lane that goes on at once.
class at_work {
 public:
  at_work() : control_(emulated::running.control) { here.busy = true; }
  ~at_work() {
    emulated::running.control = control_;
    here.busy = false;
  }
  at_work(at_work const&) = delete;
  at_work& operator=(at_work const&) = delete;

 private:
  std::uint64_t* control_;
};

}  // namespace upsweep::sim
