/// Ends loops that call no hook: compilers report no basic block for an empty loop such as
/// `while (true) {}`.
#pragma once

namespace upsweep::sim {

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

}  // namespace upsweep::sim
