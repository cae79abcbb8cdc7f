/// Switches from lane to lane on one thread of the host.
#pragma once

#include <upsweep/sim/launch_state.hpp>
#include <upsweep/sim/progress.hpp>
#include <upsweep/sim/turn_order.hpp>

#include <exception>

namespace upsweep::sim {

/// Lanes run on fibers. The host's own stack is where `block_life` visits the resident blocks; it
/// enters a lane, lanes of the block follow each other, and the last one that can run leaves to the
/// host.
class scheduler {
 public:
  scheduler(launch_state const& launch, turn_order& order, progress_watch& progress,
            fiber_pool& fibers);

  /// The calling thread is the host from now on.
  void begin();
  /// From the host's stack: `next` and the lanes after it run until none of the block can. Throws
  /// what one of them threw.
  void enter(lane& next);

  // Of the running lane. It is suspended first, does what it has to, and then leaves the turn to
  // somebody or is resumed.
  /// It keeps its place in its logs; the emulator is busy until a lane is resumed.
  static void suspend(lane& l);
  void resume(lane& l);
  /// Who goes on in this block: null if nobody can.
  [[nodiscard]] lane* pick(block& b);
  /// Leaves the turn to `next`, or to the host if that is null. Returns when `l` is resumed.
  void go_on(lane& l, lane* next);
  /// The same as going on with pick(), short where lanes simply follow each other.
  void go_on_in_line(lane& l, warp& w, block& b);
  /// Whether lanes take turns in their order.
  [[nodiscard]] bool in_line() const { return in_line_; }
  /// Lets others go first; `polling`: until the block is visited again.
  void yield(bool polling);

  // Of a fiber whose lane has returned, or has thrown.
  /// `next` goes on, on this fiber if it has none yet; null: the host does.
  void hand_over(fiber& f, lane* next);
  /// The launch ends with this as soon as the host goes on.
  void remember(std::exception_ptr failure) { failure_ = std::move(failure); }

  /// The running lane has filled its log, or its share of time or a countdown is over.
  void out_of_log();
  /// The running lane is in a loop that nothing can be seen of.
  void leave_empty_loop();

 private:
  static void use_scratch();
  void switch_to(fiber& from, switch_point& left, lane& next);
  void switch_to_host(fiber& from, switch_point& left);
  [[noreturn]] void give_up(lane& l, std::string const& sentence);
  void shorten_turn();
  void find_room(lane& l);
  void make_room(warp& w);

  launch_state const& launch_;
  turn_order& order_;
  progress_watch& progress_;
  fiber_pool& fibers_;
  bool interrupts_, in_line_;  // of the order
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
  l.control = emulated::running.control;
  l.data = emulated::running.data;
}

/// Lanes that keep no logs share a scratch log.
inline void scheduler::resume(lane& l) {
  emulated::context& c = emulated::running;
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
