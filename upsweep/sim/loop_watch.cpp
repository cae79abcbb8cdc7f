/// A timer on the thread's own CPU time, so that a loaded machine causes no false alarm.
#include <upsweep/sim/loop_watch.hpp>

#include <upsweep/sim/fiber.hpp>
#include <upsweep/sim/hook_state.hpp>

#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <utility>

namespace upsweep::sim {

namespace {

constexpr long period = 100'000'000;  // nanoseconds
thread_local lane_view* suspect = nullptr;
thread_local std::uint64_t* suspects_log = nullptr;
thread_local bool is_asked = false;
thread_local int kept_countdowns[countdown_count];
thread_local void (*leave_empty_loop)() = nullptr;

/// Requests a sign of life: the log looks full, so the next basic block of the running lane calls
/// scheduler::out_of_log, which reports it by loop_watch::seen and continues. A lane that takes
/// over instead has a log with room.
void ask() {
  context& c = running;
  suspects_log = c.control_limit = c.control;
  if (!is_asked) std::ranges::copy(countdowns, kept_countdowns);
  std::ranges::fill(countdowns, 0);
  is_asked = true;
}

/// Whether the running lane has its stack already: a turn begins on the stack of the one before.
bool is_on_its_stack() {
  fiber const* const f = running_lane().on;
  auto const* const frame = static_cast<std::byte const*>(__builtin_frame_address(0));
  return f != nullptr && f->stack <= frame && frame < f->stack + f->stack_bytes;
}

/// With short turns each turn ends with a sign of life, and a request would change the order of
/// turns.
void look(int, siginfo_t*, void*) {
  context const& c = running;
  if (here.by == nullptr || here.busy || here.failing || c.lane == nullptr || !is_on_its_stack()) {
    suspect = nullptr;
  } else if (c.lane == suspect &&
             (here.interrupts || (c.control == suspects_log && c.control_limit == suspects_log))) {
    leave_empty_loop();
  } else {
    suspect = c.lane;
    if (!here.interrupts) ask();
  }
}

void install_handler() {
  static bool const once = [] {
    struct sigaction action{};
    action.sa_sigaction = look;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;  // the handler may not return
    return sigaction(SIGRTMIN + 7, &action, nullptr) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace

loop_watch::loop_watch(void (*leave)()) {
  leave_empty_loop = leave;
  suspect = nullptr;
  is_asked = false;
  install_handler();
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGRTMIN + 7;
  event._sigev_un._tid = gettid();
  itimerspec const every{{0, period}, {0, period}};
  runs_ = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0 &&
          timer_settime(timer_, 0, &every, nullptr) == 0;
}

loop_watch::~loop_watch() {
  if (runs_) timer_delete(timer_);
}

bool loop_watch::seen() {
  suspect = nullptr;
  if (is_asked) std::ranges::copy(kept_countdowns, countdowns);
  return std::exchange(is_asked, false);
}

}  // namespace upsweep::sim
