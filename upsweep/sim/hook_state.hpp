/// The state that the hooks of a kernel read at every access and every basic block: one record per
/// host thread.
#pragma once

#include <upsweep/sim/state.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

class checker;
class runner;

/// Copies of state that the parts of the emulator own, in one record because every nanosecond of a
/// hook counts. `runner` fills it in when a launch starts; `shared_arrays` maintains the arrays,
/// `scheduler` and `busy_scope` maintain `busy`; `failing` is set before a failure's message is
/// composed. Only entry points from outside use `by`: hooks, fibers, signals.
struct hook_state {
  runner* by = nullptr;            ///< runs lanes on this host thread
  checker* checks = nullptr;       ///< null without checks
  std::byte* window = nullptr;     ///< of the running block, for a module's kernel
  memory* const* cells = nullptr;  ///< its arrays, indexed by cell
  /// loaded_code::tls_module of the kernel's module, if it has shared arrays.
  std::size_t tls_module = ~std::size_t{0};
  int countdown = 0;     ///< basic blocks between two calls of the emulator when there are neither
                         ///< logs nor turns; 0 otherwise
  bool watches = false;  ///< accesses are logged or checked
  bool logs = false;
  bool traces = false;
  bool interrupts = false;  ///< lanes have short turns
  /// The emulator is serving the running lane, or an exception is propagating. Standard library
  /// functions that it calls may be instances from a translation unit of kernels, compiled with
  /// hooks; their basic blocks must neither be logged nor cause a switch.
  bool busy = false;
  bool failing = false;
  position last_volatile{};           ///< of the last volatile access of shared memory, on any lane
  std::uint64_t traced_accesses = 0;  ///< so far in the launch
  /// The running lane's last store, when tracing, if the value is not known yet: hooks of compilers
  /// come before the access.
  struct {
    std::byte const* place = nullptr;
    access_record* record = nullptr;
    std::size_t bytes = 0;
  } unknown_value{};
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local hook_state here;

/// A kernel has done something that memory does not show: it printed, or read a clock.
extern constinit std::atomic<bool> has_other_effects;

/// Without logs a basic block decrements a counter that it shares with few others: a single counter
/// would make each basic block depend on the one before it.
inline constexpr std::size_t countdown_count = 256;
[[gnu::tls_model("initial-exec")]] extern constinit thread_local int countdowns[countdown_count];
[[nodiscard]] constexpr std::size_t countdown_of(std::uint64_t pc) {
  return pc & (countdown_count - 1);
}

[[nodiscard]] inline lane& running_lane() {
  return *static_cast<lane*>(running.lane);
}

/// Sets `busy` while the emulator serves a lane that continues without a switch. Scopes may be
/// nested.
class busy_scope {
 public:
  busy_scope() : control_(running.control), was_busy_(here.busy) { here.busy = true; }
  ~busy_scope() {
    running.control = control_;
    here.busy = was_busy_;
  }
  busy_scope(busy_scope const&) = delete;
  busy_scope& operator=(busy_scope const&) = delete;

 private:
  std::uint64_t* control_;
  bool was_busy_;
};

}  // namespace upsweep::sim
