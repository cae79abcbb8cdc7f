/// The short way from one lane to the next, inlined where it is on the path of every barrier.
#pragma once

#include <upsweep/sim/runner.hpp>

namespace upsweep::sim {

/// At a thousand threads neither the lanes nor the tops of their stacks are in the first-level
/// cache; mostly they come in this order.
// Inlined by order: g++ 12 takes a function that only prefetches for one without effect and drops
// the call.
[[gnu::always_inline]] inline void prefetch_after(lane const& next, bool logs) {
  auto const* const line = reinterpret_cast<char const*>(&next + lanes_ahead);
  __builtin_prefetch(line);
  if (logs) __builtin_prefetch(line + 64);
  auto const* const stack = static_cast<char const*>((&next + lanes_ahead / 2)->left.at);
  for (int bytes = 0; bytes < 5 * 64; bytes += 64) __builtin_prefetch(stack + bytes);
}

[[gnu::always_inline]] inline lane* runner::take(warp& w, std::uint32_t bit) {
  w.unstarted &= ~bit;
  w.ready &= ~bit;
  block& b = *w.of;
  b.current_warp = w.index;
  b.current_bit = bit;
  lane* const next = &w.lanes[__builtin_ctz(bit)];
  prefetch_after(*next, here.logs);
  return next;
}

/// Leaves the stack of `from`, at `here_point`, for that of `next`. Returns when somebody comes
/// back to it.
[[gnu::always_inline]] inline void runner::switch_to(fiber& from, switch_point& here_point,
                                                     lane& next) {
  resume(next);
  if (next.on == nullptr) {
    next.on = fibers_.take();
    next.on->job = &next;
    switch_stacks(from, here_point, *next.on, next.on->idle);
  } else {
    switch_stacks(from, here_point, *next.on, next.left);
  }
}

}  // namespace upsweep::sim
