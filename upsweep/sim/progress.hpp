/// Detects launches that make no progress.
#pragma once

#include <upsweep/sim/launch_state.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace upsweep::sim {

/// Counts changes, and the work done since the last one. There are two kinds of waiting: polling an
/// atomic, which `atomics` reports; and a loop of plain loads or without any access, which
/// `observe` recognizes by its basic blocks.
class progress_watch {
 public:
  /// `interrupts`: lanes are pre-empted after short turns.
  progress_watch(launch_state const& launch, bool interrupts);

  /// An atomic read or wrote a new value, for which some lane may have been waiting, or a lane has
  /// reached a barrier: what it reads between barriers is looked at at the same points each time,
  /// so a product of tiles would look like a loop that waits. Loops around a barrier end otherwise.
  void changed() { ++changes_; }
  /// The same, and memory was written or lanes synchronized: lanes that keep reading may see a
  /// change.
  void wrote_or_met() {
    ++changes_;
    read_work_ = 0;
  }
  /// `count` lanes have completed a warp operation; `stored`: one of them stored before it.
  void warp_operation(unsigned count, bool stored);

  /// The state of a lane whose turn, log or countdown has ended.
  struct observation {
    bool is_silent;  ///< it has accessed no memory for a long time
    bool spins;      ///< it keeps accessing one element, or reading a few
    bool polls;      ///< it polls an atomic
  };
  /// The running lane has run `work` basic blocks since the last observation of any lane.
  [[nodiscard]] observation observe(lane& l, std::uint64_t work);
  /// Whether the lane, or all lanes together, have exceeded the step limit.
  [[nodiscard]] bool is_endless(observation const& o) const {
    return has_only_read() || (o.is_silent && idle_work_ > how_.step_limit);
  }
  /// The lane executes __nanosleep(): it waits for another one.
  static void paused(lane& l);
  /// Whether lanes have only read the same elements for a quarter of the step limit: what they
  /// repeat from then on need not be counted.
  [[nodiscard]] bool spins_for_long() const {
    return std::min(idle_work_, read_work_) > how_.step_limit / 4;
  }
  /// The lane spins and yields to others.
  void gives_way(observation const& o) { may_compute_ = may_compute_ || !o.polls; }
  /// Whether there was no write and no synchronization for 64 times the step limit. The factor
  /// allows for lanes that wait for several flags in turn.
  [[nodiscard]] bool has_only_read() const;
  /// The message about a lane that is abandoned.
  [[nodiscard]] std::string endless(lane const& l, bool only_reads) const;

  /// A round begins, in which all resident blocks get a turn.
  void begin_round() { changes_before_ = changes_; }
  /// Whether so many rounds have passed without a change that there will be none.
  [[nodiscard]] bool is_stuck();
  /// A block has finished: starts counting rounds again.
  void reset_patience();
  /// A block has become resident: its lanes do not inherit the accesses of earlier blocks' lanes.
  void block_came() { observed_ = nullptr; }

 private:
  simt::launch_shape const& shape_;
  options const& how_;
  int countdown_;
  std::uint64_t patience_;  // the limit of rounds_in_vain_
  std::uint64_t changes_ = 0, changes_before_ = 0;
  std::uint64_t rounds_in_vain_ = 0;
  std::uint64_t idle_work_ = 0;  // basic blocks since the last change
  std::uint64_t read_work_ = 0;  // basic blocks since the last write or synchronization
  // Since the last change a lane has polled by plain loads or computed without any access: only the
  // step limit decides when that is too long.
  bool may_compute_ = false;
  lane const* observed_ = nullptr;  // the lane of the last observation
  int looks_without_access_ = 0;    // observations of this lane in a row
};

}  // namespace upsweep::sim
