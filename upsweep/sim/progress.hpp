/// Whether the lanes of a launch get anywhere, or wait for what never comes.
#pragma once

#include <upsweep/sim/launch_state.hpp>

namespace upsweep::sim {

/// Counts what has changed, and how much has been run since. It knows two kinds of waiting: a lane
/// that polls an atomic says so itself, by `atomics`; a loop that reads by plain loads, or reads
/// nothing, is known by its basic blocks, which `observe` is told of.
class progress_watch {
 public:
  /// `interrupts`: lanes have short turns.
  progress_watch(launch_state const& launch, bool interrupts);

  /// Somebody may have waited for this: an atomic that found or made something new.
  void changed() { ++changes_; }
  /// The same, and it wrote memory or lanes have met: whoever reads on has a new reason to.
  void wrote_or_met() {
    ++changes_;
    read_work_ = 0;
  }
  /// `count` lanes have met in a warp operation; one of them has `stored` before.
  void warp_operation(unsigned count, bool stored);

  /// What is to be thought of a lane whose turn, log or countdown has ended.
  struct observation {
    bool is_silent;  ///< it has accessed nothing for long
    bool spins;      ///< it reads one place again and again
    bool polls;      ///< it polls an atomic
  };
  /// The running lane has run `work` basic blocks since the last look at a lane.
  [[nodiscard]] observation observe(lane& l, std::uint64_t work);
  /// Whether the lane, or all of them, have gone on for longer than the step limit allows.
  [[nodiscard]] bool is_endless(observation const& o) const {
    return has_only_read() || (o.is_silent && idle_work_ > how_.step_limit);
  }
  /// The lane spins and gives way to others.
  void gives_way(observation const& o) { may_compute_ = may_compute_ || !o.polls; }
  /// Whether nothing has been written, and nobody has met, for 64 times the step limit: whoever
  /// reads on and on may still be waiting, for several flags.
  [[nodiscard]] bool has_only_read() const;
  /// What is said of a lane that is given up.
  [[nodiscard]] std::string endless(lane const& l, bool only_reads) const;

  /// All resident blocks get a turn now.
  void begin_round() { changes_before_ = changes_; }
  /// Whether the round and so many before it were in vain that nobody will ever go on.
  [[nodiscard]] bool is_stuck();
  /// A block has ended: waiting starts anew.
  void reset_patience();
  /// A block has come: what lanes of earlier blocks did is no spinning of its lanes.
  void block_came() { observed_ = nullptr; }

 private:
  simt::launch_shape const& shape_;
  options const& how_;
  int countdown_;
  std::uint64_t patience_;  // rounds in vain
  std::uint64_t changes_ = 0, changes_before_ = 0;
  std::uint64_t rounds_in_vain_ = 0;
  std::uint64_t idle_work_ = 0;  // basic blocks since the last change
  std::uint64_t read_work_ = 0;  // basic blocks since anything was written or anybody met anybody
  // Since the last change a lane has polled by plain loads, or has computed without a visible end:
  // only the step limit says when that is too long.
  bool may_compute_ = false;
  lane const* observed_ = nullptr;  // at whom the last look was
  int looks_without_access_ = 0;    // at this lane in a row
};

}  // namespace upsweep::sim
