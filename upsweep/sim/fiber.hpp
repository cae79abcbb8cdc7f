/// Fibers: a stack each, and a switch from one to another that costs a few nanoseconds.
///
/// On x86-64 the switch is our own twelve instructions: at a thousand fibers it takes a third of
/// the time of ucontext's system calls and is a little faster than Boost.Context, which serves
/// every other processor, and this one under UPSWEEP_SIM_BOOST.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#if defined(UPSWEEP_SIM_BOOST) || !defined(__x86_64__)
#define UPSWEEP_SIM_USES_BOOST 1
#else
#define UPSWEEP_SIM_USES_BOOST 0
#endif

namespace upsweep::sim {

struct lane;

/// Where a stack has been left, and can be gone on with.
struct switch_point {
  void* at = nullptr;
};

struct fiber {
  switch_point idle;           ///< while it has no job
  std::byte* stack = nullptr;  ///< lowest address
  std::size_t stack_bytes = 0;
  lane* job = nullptr;  ///< whom it runs
  void (*body)(fiber&) = nullptr;
  void* fake_stack = nullptr;  ///< AddressSanitizer's
};

/// Makes `f` stand for the stack that the calling thread is on.
void adopt_thread_stack(fiber& f);

#if UPSWEEP_SIM_USES_BOOST || defined(__SANITIZE_ADDRESS__)
/// Leaves the stack of `from` at `here`, and goes on on the stack of `to` where `there` says.
void switch_stacks(fiber& from, switch_point& here, fiber& to, switch_point& there);
#else
extern "C" void upsweep_sim_switch(void** keep, void* load);
inline void switch_stacks(fiber&, switch_point& here, fiber&, switch_point& there) {
  upsweep_sim_switch(&here.at, there.at);
}
#endif

/// Fibers that wait for a job. All run the same function, which never returns.
class fiber_pool {
 public:
  explicit fiber_pool(void (*body)(fiber&)) : body_(body) {}
  ~fiber_pool();
  fiber_pool(fiber_pool const&) = delete;
  fiber_pool& operator=(fiber_pool const&) = delete;

  [[nodiscard]] fiber* take() {
    if (idle_.empty()) grow();
    fiber* const f = idle_.back();
    idle_.pop_back();
    return f;
  }
  /// The fiber may be running still: it switches away before anybody takes it.
  void give(fiber* f) { idle_.push_back(f); }
  /// Abandons what all fibers are doing; their stacks start anew.
  void reset();
  /// Whether `f` has written past the end of its stack.
  [[nodiscard]] static bool overflown(fiber const& f);

 private:
  void grow();
  void prepare(fiber& f);

  struct region {
    std::byte* begin;
    std::size_t bytes;
  };
  void (*body_)(fiber&);
  std::vector<std::unique_ptr<fiber>> all_;
  std::vector<fiber*> idle_;
  std::vector<region> regions_;
};

}  // namespace upsweep::sim
