/// What only signals tell of a kernel: that it calls no hook, has no stack left, or traps.
#pragma once

#include <cstddef>
#include <memory>

#ifndef __wasm__
#include <csignal>
#endif

namespace upsweep::sim {

// Ends loops that call no hook: compilers report no basic block for an empty loop such as
// `while (true) {}`.

/// While an object of this class exists, a timer checks ten times per second of CPU time whether
/// the running lane has called a hook. The timer's signal is SIGRTMIN + 7; its handler stays
/// installed.
class loop_watch {
 public:
  /// `leave` is called for a running lane that has called no hook; it does not return.
  explicit loop_watch(void (*leave)());
  ~loop_watch();
  loop_watch(loop_watch const&) = delete;
  loop_watch& operator=(loop_watch const&) = delete;

  /// The running lane has called a hook. Returns whether it did so only because of a request.
  static bool seen();

 private:
  void* timer_ = nullptr;
  bool runs_ = false;
};

/// While an object of this class exists, an access below the running lane's stack ends the launch.
/// The handler of its signal, SIGSEGV, stays installed and hands on to the one before it. Without
/// signals an overflow is noticed when its thread returns.
class stack_watch {
 public:
  /// `leave` is called for such a lane; it does not return.
  explicit stack_watch(void (*leave)());
  ~stack_watch();
  stack_watch(stack_watch const&) = delete;
  stack_watch& operator=(stack_watch const&) = delete;

 private:
#ifndef __wasm__
  std::unique_ptr<std::byte[]> memory_;
  stack_t before_{};
#endif
};

/// From now on a division of a kernel by zero is a finding, after which the kernel goes on with a
/// quotient of all ones, as most GPUs give it; and the smallest number divided by -1 is itself.
/// An index outside of a thread's own array ends the launch (simt/cuda/words/accesses.h). The
/// handlers of their signals, SIGFPE and SIGILL, hand on to those before them.
void watch_traps();

}  // namespace upsweep::sim
