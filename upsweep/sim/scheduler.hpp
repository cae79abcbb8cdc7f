/// Switches from lane to lane on one host thread.
#pragma once

#include <upsweep/sim/checker.hpp>
#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/global_memory.hpp>
#include <upsweep/sim/hook_state.hpp>
#include <upsweep/sim/options.hpp>
#include <upsweep/sim/recorder.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim {

/// What is common to all host threads of a launch.
struct launch_call {
  simt::launch_shape shape;
  void (*invoke)(void const*);
  void const* call;
  std::uint64_t first_serial;  ///< serial number of block 0, unique in the machine
  loaded_code* code;           ///< the module of the kernel
};

/// A launch, or a share of its blocks, on one host thread.
struct launch_state {
  simt::launch_shape const& shape;
  options const& how;
  global_memory& buffers;
  findings& found;
  recorder& record;
  checker* checks;    ///< null without checks
  int countdown;      ///< hook_state::countdown
  loaded_code* code;  ///< launch_call::code
};

/// Detects launches that make no progress. Counts changes, and the work done since the last one.
/// There are two kinds of waiting: polling an atomic, which `atomics` reports; and a loop of plain
/// loads or without any access, which `observe` recognizes by its basic blocks.
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

/// The schedules of options.hpp: which lane runs next and for how long, and in which order blocks
/// become resident. It only decides; `scheduler` switches between lanes and `block_life` admits
/// blocks. There is one random generator, so that a seed reproduces a run.
class turn_order {
 public:
  turn_order(options const& how, simt::launch_shape const& shape);

  /// Whether lanes are pre-empted at the end of their turn, not only where they wait.
  [[nodiscard]] bool interrupts() const { return interrupts_; }
  /// Whether lanes take turns in order.
  [[nodiscard]] bool in_line() const { return !interrupts_ && variant_ != last_first; }
  /// Whether blocks become resident as soon as there is room, not only when no other can continue.
  [[nodiscard]] bool is_eager() const {
    return interrupts_ || (variant_ != none && variant_ != one_block);
  }

  /// Removes and returns the next lane of the block that can run; null if there is none.
  [[nodiscard]] lane* next_lane(block& b);
  /// Removes and returns the lane `bit` of `w`, which can run.
  [[nodiscard]] static lane* take(warp& w, std::uint32_t bit);
  /// The length of a lane's turn in basic blocks.
  [[nodiscard]] std::uint64_t quantum();
  /// Whether a lane that yields passes the turn to another block.
  [[nodiscard]] bool leaves_block();

  /// The number of the cluster that becomes resident as the `turn`-th.
  [[nodiscard]] std::uint64_t cluster_at(std::uint64_t turn) const;
  /// Whether one more cluster may be resident.
  [[nodiscard]] bool has_room(std::size_t resident) const;
  /// A round begins, in which all resident clusters get a turn.
  void begin_round(std::vector<std::unique_ptr<cluster>>& resident);
  /// Which of the `count` resident clusters is the `turn`-th of the round.
  [[nodiscard]] std::size_t cluster_of_turn(std::size_t turn, std::size_t count) const;

 private:
  enum adversary : unsigned { last_block_first, one_block, early_blocks_starve, last_first, none };

  [[nodiscard]] lane* random_lane(block& b);
  [[nodiscard]] std::uint32_t first_of(std::uint32_t mask) const;

  simt::launch_shape const& shape_;
  schedule how_;
  unsigned most_resident_;
  bool interrupts_;
  adversary variant_;
  std::mt19937_64 random_;
};

/// At a thousand threads neither the lanes nor the tops of their stacks are in the L1 cache, and
/// lanes mostly run in this order.
// always_inline, because g++ 12 drops calls of a function that only prefetches as free of effects.
[[gnu::always_inline]] inline void prefetch_after(lane const& next, bool logs) {
  auto const* const line = reinterpret_cast<char const*>(&next + lanes_ahead);
  __builtin_prefetch(line);
  if (logs) __builtin_prefetch(line + 64);
  auto const* const stack = static_cast<char const*>((&next + lanes_ahead / 2)->left.at);
  for (int bytes = 0; bytes < 5 * 64; bytes += 64) __builtin_prefetch(stack + bytes);
}

[[gnu::always_inline]] inline lane* turn_order::take(warp& w, std::uint32_t bit) {
  w.unstarted &= ~bit;
  w.ready &= ~bit;
  block& b = *w.of;
  b.current_warp = w.index;
  b.current_bit = bit;
  lane* const next = &w.lanes[__builtin_ctz(bit)];
  prefetch_after(*next, here.logs);
  return next;
}

/// Lanes run on fibers. On the host thread's own stack `block_life` visits the resident blocks. It
/// enters a lane; the lanes of the block then switch from one to the next, and the last one that
/// can run switches back to the host's stack.
class scheduler {
 public:
  scheduler(launch_state const& launch, turn_order& order, progress_watch& progress,
            fiber_pool& fibers);

  /// Makes the calling thread the host.
  void begin();
  /// Called on the host's stack: runs `next` and the lanes after it until none of the block can
  /// run. Rethrows an exception of a lane.
  void enter(lane& next);

  // For the running lane: it is suspended first, and then either gives up its turn or is resumed.
  /// Saves its position in its logs; the emulator is busy until a lane is resumed.
  static void suspend(lane& l);
  void resume(lane& l);
  /// Records the value of the last store: nothing has happened since.
  static void record_stored_value(lane const& l);
  /// The next lane of this block to run; null if none can.
  [[nodiscard]] lane* pick(block& b);
  /// Passes the turn to `next`, or to the host if that is null. Returns when `l` is resumed.
  void go_on(lane& l, lane* next);
  /// go_on(l, pick(b)), with a fast path for lanes that run in order.
  void go_on_in_line(lane& l, warp& w, block& b);
  /// Whether lanes take turns in order.
  [[nodiscard]] bool in_line() const { return in_line_; }
  /// The running lane waits for others.
  void pause();
  /// Yields to other lanes; `polling`: until the block is visited again.
  void yield(bool polling);

  // For a fiber whose lane has returned or thrown.
  /// Runs `next`, on this fiber if it has none yet; null: the host.
  void hand_over(fiber& f, lane* next);
  /// The host rethrows this exception when it is resumed, which ends the launch.
  void remember(std::exception_ptr failure) { failure_ = std::move(failure); }

  /// An exception has left the stack of the running lane, and is on the host's.
  static void left_by_exception();
  /// The running lane has failed where it cannot throw: leaves its stack for good, and the host
  /// rethrows.
  [[noreturn]] void leave_for_good(std::exception_ptr failure);
  /// The running lane's log is full, or its turn or a countdown has ended.
  void out_of_log();
  /// The running lane is in a loop that calls no hook.
  void leave_empty_loop();
  /// The running lane needs more stack than it has.
  void leave_overflown_stack();

 private:
  static void use_scratch();
  template <class F>
  void resume_by(lane& next, F const& go);
  void switch_to(fiber& from, switch_point& left, lane& next);
  void switch_to_host(fiber& from, switch_point& left);
  [[noreturn]] void give_up(lane& l, finding_kind kind, std::string const& sentence);
  void shorten_turn();
  void find_room(lane& l);
  void make_room(warp& w);

  launch_state const& launch_;
  turn_order& order_;
  progress_watch& progress_;
  fiber_pool& fibers_;
  bool interrupts_, in_line_;  // of the turn order
  fiber host_;
  std::exception_ptr failure_;
};

inline lane* scheduler::pick(block& b) {
  if (warp& current = b.warps[b.current_warp]; current.full != 0 && current.runnable() == 0)
    make_room(current);
  return order_.next_lane(b);
}

inline void scheduler::suspend(lane& l) {
  here.busy = true;
  if (!here.logs) return;
  if (here.traces) record_stored_value(l);
  l.control = running.control;
  l.data = running.data;
}

/// Lanes that keep no logs share a scratch log.
inline void scheduler::resume(lane& l) {
  context& c = running;
  c.lane = &l;
  here.busy = false;
  if (here.logs) {
    if (l.segment != l.of->segment) launch_.record.open(l);
    c.control = l.control;
    c.control_limit = l.control_end;
    c.data = l.data;
  }
  if (interrupts_) [[unlikely]]
    shorten_turn();
}

}  // namespace upsweep::sim
