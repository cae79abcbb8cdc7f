/// Fibers, each with its own stack; a switch between them costs a few nanoseconds.
///
/// On x86-64 the switch is our own twelve instructions: at a thousand fibers it takes a third of
/// the time of ucontext's system calls and is a little faster than Boost.Context, which serves
/// every other processor, and this one under UPSWEEP_SIM_BOOST. WebAssembly cannot switch stacks:
/// there binaryen's Asyncify makes functions that can save their variables, return, and be entered
/// again where they were (fiber_asyncify.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#ifdef __wasm__
#define UPSWEEP_SIM_USES_ASYNCIFY 1
#define UPSWEEP_SIM_USES_BOOST 0
#else
#define UPSWEEP_SIM_USES_ASYNCIFY 0
#if defined(UPSWEEP_SIM_BOOST) || !defined(__x86_64__)
#define UPSWEEP_SIM_USES_BOOST 1
#else
#define UPSWEEP_SIM_USES_BOOST 0
#endif
#endif

namespace upsweep::sim {

struct lane;

/// The point at which a stack was left and at which it can be resumed.
struct switch_point {
  void* at = nullptr;
};

struct fiber {
  switch_point idle;           ///< where to resume it while it has no job
  std::byte* stack = nullptr;  ///< lowest address
  std::size_t stack_bytes = 0;
  lane* job = nullptr;  ///< the lane that it runs
  void (*body)(fiber&) = nullptr;
  void* fake_stack = nullptr;  ///< AddressSanitizer's
#if UPSWEEP_SIM_USES_ASYNCIFY
  struct {
    std::byte *end, *limit;  ///< as Asyncify expects them
  } frames{};                ///< the variables of its functions while it is suspended
  std::byte* frames_begin = nullptr;
  std::byte* program_stack = nullptr;  ///< its begin, a part of the stack
  bool is_suspended = false;
#endif
};

/// No frame lies in the highest bytes of a fiber's stack, so what begins this close above a frame
/// belongs to the same stack.
inline constexpr std::size_t stack_reach = 1024;

/// Makes `f` represent the calling thread's own stack.
void adopt_thread_stack(fiber& f);

#if UPSWEEP_SIM_USES_ASYNCIFY || UPSWEEP_SIM_USES_BOOST || defined(__SANITIZE_ADDRESS__)
/// Leaves the stack of `from` at `here` and resumes the stack of `to` at `there`.
void switch_stacks(fiber& from, switch_point& here, fiber& to, switch_point& there);
#else
extern "C" void upsweep_sim_switch(void** keep, void* load);
inline void switch_stacks(fiber&, switch_point& here, fiber&, switch_point& there) {
  upsweep_sim_switch(&here.at, there.at);
}
#endif

#if UPSWEEP_SIM_USES_ASYNCIFY
/// Of a program that was loaded later, which has a stack pointer of its own: sets it, and returns
/// what it was. Null while there is none.
extern std::byte* (*exchange_program_stack)(std::byte* to);

/// The same from the host's stack. An exception of a fiber passes through, and ends the fiber.
void enter_fibers(fiber& host, switch_point& here, fiber& to, switch_point& there);
#else
inline void enter_fibers(fiber& host, switch_point& here, fiber& to, switch_point& there) {
  switch_stacks(host, here, to, there);
}
#endif
/// What a suspended fiber's functions hold that is not on its stack: where stacks can be switched,
/// nothing.
[[nodiscard]] inline std::span<std::byte const> saved_variables([[maybe_unused]] fiber const& f) {
#if UPSWEEP_SIM_USES_ASYNCIFY
  return {f.frames_begin, f.frames.end};
#else
  return {};
#endif
}

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
  /// The fiber may still be running: it switches away before it is taken again.
  void give(fiber* f) { idle_.push_back(f); }
  /// Abandons the jobs of all fibers without unwinding; their stacks start afresh.
  void reset() {
    idle_.clear();
    for (auto& f : all_) {
      start(*f);
      idle_.push_back(f.get());
    }
  }
  /// Whether `f` has overflowed its stack.
  [[nodiscard]] static bool overflown(fiber const& f) {
    return std::ranges::any_of(
        ends_of(f), [](auto* end) { return std::memcmp(end, &canary, sizeof canary) != 0; });
  }
  /// Whether `address` lies below the stack of `f`, where nothing can be read or written.
  [[nodiscard]] static bool guards(fiber const& f, void const* address);

 private:
  /// At the lowest address of a stack.
  static constexpr std::uint64_t canary = 0x5ca1ab1e0ddba11;
  /// The lowest bytes of its stacks, into which an overflow writes.
  static std::array<std::byte*, 2> ends_of(fiber const& f) {
#if UPSWEEP_SIM_USES_ASYNCIFY
    return {f.stack, f.program_stack == nullptr ? f.stack : f.program_stack};
#else
    return {f.stack, f.stack};
#endif
  }

  void grow();
  /// Makes a stack begin afresh, with the mark that overflown() looks for.
  void start(fiber& f) {
    for (std::byte* const end : ends_of(f)) std::memcpy(end, &canary, sizeof canary);
    prepare(f);
  }
  void prepare(fiber& f);

  /// The memory of 64 stacks.
  struct region {
    std::byte* begin;
    bool is_guarded;
  };
  static region new_region();
  static void give_back(region const& r);
  void (*body_)(fiber&);
  std::vector<std::unique_ptr<fiber>> all_;
  std::vector<fiber*> idle_;
  std::vector<region> regions_;
};

}  // namespace upsweep::sim
