/// The hooks that every access, barrier and basic block of an emulated kernel calls.
#include <upsweep/sim/access.hpp>
#include <upsweep/sim/runner.hpp>
#include <upsweep/sim/sentences.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace upsweep::sim {

constinit thread_local hook_state here;
constinit thread_local int countdowns[countdown_count] = {};

namespace {

std::uint64_t nowhere[1];
access_record nothing[1];

/// A full log, host code that was compiled like a kernel, or the end of a turn.
UPSWEEP_SIM_RARE void trace_rarely(std::uint64_t pc) {
  countdowns[countdown_of(pc)] = here.countdown;
  if (here.by == nullptr || here.busy || here.failing) return;
  here.by->scheduler().out_of_log();
  // Without logs all lanes share one scratch log, and others may have filled it while this lane was
  // suspended.
  if (running.control < running.control_limit) *running.control++ = pc;
}

}  // namespace

constinit thread_local context running{nowhere, nowhere, nothing, nullptr};

extern "C" [[gnu::noinline, gnu::visibility("default")]] void __sanitizer_cov_trace_pc() {
  context& c = running;
  std::uint64_t const pc = UPSWEEP_SIM_CALLER;
  if (c.control < c.control_limit)
    *c.control++ = pc;
  else if (--countdowns[countdown_of(pc)] < 0) [[unlikely]]
    trace_rarely(pc);
}

namespace hooks {

namespace {

/// While an object of this class exists, basic blocks belong to no lane: the operator may have been
/// compiled like a kernel, and must neither be interrupted nor write to the lane's log, which could
/// be drained or moved meanwhile.
class uncounted_scope {
 public:
  uncounted_scope() : kernel_(running) {
    running.control = blocks_;
    running.control_limit = blocks_ + std::size(blocks_);
    running.lane = nullptr;
  }
  uncounted_scope(uncounted_scope const&) = delete;
  uncounted_scope& operator=(uncounted_scope const&) = delete;
  ~uncounted_scope() { running = kernel_; }

 private:
  static thread_local std::uint64_t blocks_[64];
  context kernel_;
};
thread_local std::uint64_t uncounted_scope::blocks_[64];

}  // namespace

void apply(void (*combine)(void const*, void*, void const*), void const* op, void* earlier,
           void const* later, layout type, std::uint64_t pc) {
  if (running.lane == nullptr) {  // a host plan combines partials itself: not an application of a
    combine(op, earlier, later);  // kernel
    return;
  }
  if (here.logs) {
    lane& l = running_lane();
    l.clock = std::max(l.clock, l.of->of->floor) + 1;
    if (running.control >= running.control_limit) here.by->scheduler().out_of_log();
    log_event(step_kind::apply, pc, position::of_call(pc), type, 0);
  }
  {
    uncounted_scope const until_it_returns;
    combine(op, earlier, later);
  }
  if (here.logs && here.traces)
    std::memcpy(value_slot(running_lane(), running.data - 1)->bytes, earlier,
                std::min<std::size_t>(type & 0xffffu, sizeof event_value::bytes));
}

}  // namespace hooks

}  // namespace upsweep::sim
