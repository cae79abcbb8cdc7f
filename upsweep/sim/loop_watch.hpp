/// Ends what no hook can end: a loop without any statement, `while (true) {}`, has no basic block
/// that a compiler would report.
#pragma once

namespace upsweep::sim {

/// While one lives, a timer looks ten times in each second of processor time whether the running
/// lane has met a hook since. The timer's signal is SIGRTMIN + 7; its handler stays.
class loop_watch {
 public:
  /// `leave` is called for a running lane that gives no sign of life; it does not return.
  explicit loop_watch(void (*leave)());
  ~loop_watch();
  loop_watch(loop_watch const&) = delete;
  loop_watch& operator=(loop_watch const&) = delete;

  /// The running lane has met a hook. Returns whether it did so only because it was asked for a
  /// sign of life.
  static bool seen();

 private:
  void* timer_ = nullptr;
  bool runs_ = false;
};

}  // namespace upsweep::sim
