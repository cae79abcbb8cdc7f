/// Logs that are too long are aligned in parts, which changes no count.
#include "sim/vocabulary.hpp"

#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace upsweep::sim_test {
namespace {

TEST(machine, long_loops_are_counted_exactly) {
  for (unsigned const n : {10u, 20000u, 60000u}) {
    sim::machine machine{{.check = false}};
    auto const out = machine.allocate<unsigned>(32, "out");
    machine.launch({.threads = {32}}, long_loops, out, n);
    auto const counts = machine.result().total();
    std::uint64_t stores = 0, steps = 1;
    for (unsigned i = 0; i < n + 2; ++i) {
      unsigned whole = 0, second = 0;
      for (unsigned t = 0; t < 32; ++t) {
        whole += i < n + t % 3;
        second += i < n + t % 3 && (i + t) % 2 == 0;
      }
      stores += whole + second;
      steps += std::uint64_t{whole > 0} + std::uint64_t{second > 0};
    }
    EXPECT_EQ(counts.global_stores, stores + 32) << n;
    EXPECT_EQ(counts.steps, steps) << n;
  }
}

__global__ void skips_some_rounds(int* out, int rounds) {
  for (int i = 0; i < rounds;) {  // continue leads to the next round, not to the end of this one
    int const round = i++;
    if ((static_cast<unsigned>(round) + threadIdx.x) % 3 == 0) continue;
    out[threadIdx.x] = round;
  }
}

/// The lanes that skip a round wait for the others at its end, also in logs that are aligned in
/// parts: their loop has more basic blocks than a log has room for.
TEST(machine, rounds_that_some_lanes_skip_are_counted_once_however_long_the_loop) {
  for (int const rounds : {9, 3000, 60'000}) {
    sim::machine m({.check = false});
    auto const out = m.allocate<int>(32, "out");
    m.launch({.threads = {32}}, skips_some_rounds, out, rounds);
    std::uint64_t lanes = 0;
    for (int i = 0; i < rounds; ++i)
      for (int t = 0; t < 32; ++t) lanes += (i + t) % 3 != 0;
    auto const& c = m.result().launches[0].total;
    EXPECT_EQ(c.steps, static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(c.global_stores, lanes);
  }
}

/// In every round the upper half of the lanes shuffles or synchronizes among itself.
__global__ void shuffles_in_the_upper_half(int* out, int rounds) {
  unsigned const t = threadIdx.x;
  for (int i = 0; i < rounds; ++i) {
    if (t < 16) continue;
    out[t] = __shfl_xor_sync(0xffff0000u, i, 1);
  }
  out[t] = 7;
}

/// A step is neither lost nor counted twice where logs become too long between two operations of
/// some of the lanes.
TEST(machine, operations_of_half_a_warp_are_counted_once_however_long_the_loop) {
  for (int const rounds : {9, 3000, 40'000}) {
    sim::machine m({.check = false});
    auto const out = m.allocate<int>(32, "out");
    m.launch({.threads = {32}}, shuffles_in_the_upper_half, out, rounds);
    auto const& c = m.result().launches[0].total;
    EXPECT_EQ(c.shuffles, static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(c.steps, 2 * static_cast<std::uint64_t>(rounds) + 1);
    EXPECT_EQ(c.global_stores, 16 * static_cast<std::uint64_t>(rounds) + 32);
  }
}

/// The upper half of the lanes waits before a loop whose rounds it then skips in part.
__global__ void waits_and_skips(int* out, int rounds) {
  unsigned const t = threadIdx.x;
  ::cuda::atomic_ref<int, ::cuda::thread_scope_device> ready(out[32]);
  while (t >= 16 && ready.load(::cuda::memory_order_acquire) == 0) {
  }
  for (int i = 0; i < rounds; ++i) {
    out[t] = i;
    if (t >= 16) continue;
    out[t] = i + 1;
    if (t == 0 && i == rounds - rounds / 4) ready.store(1, ::cuda::memory_order_release);
  }
}

/// While lanes wait, it is not known where they go on: what the others do meanwhile is kept.
TEST(machine, lanes_that_have_waited_skip_rounds_of_a_long_loop_with_the_others) {
  for (int const rounds : {12, 3000, 40'000}) {
    sim::machine m({.check = false});
    auto const out = m.allocate<int>(33, "out");
    m.fill(out, 33, 0);
    m.launch({.threads = {32}}, waits_and_skips, out, rounds);
    auto const& c = m.result().launches[0].total;
    EXPECT_EQ(c.global_requests, 2 * static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(c.global_stores, 48 * static_cast<std::uint64_t>(rounds));
  }
}

/// Lane 0 works for so long that its log is full, while the others wait for it before the loop.
__global__ void waits_before_a_long_loop(int* out, int rounds) {
  unsigned const t = threadIdx.x;
  ::cuda::atomic_ref<int, ::cuda::thread_scope_device> ready(out[32]);
  while (t != 0 && ready.load(::cuda::memory_order_acquire) == 0) {
  }
  for (int i = 0; i < rounds; ++i) {
    out[t] = i;
    if (t == 0 && i == rounds - rounds / 4) ready.store(1, ::cuda::memory_order_release);
  }
}

TEST(machine, lanes_that_have_waited_before_a_long_loop_run_it_together) {
  for (int const rounds : {12, 60'000}) {
    sim::machine m({.check = false});
    auto const out = m.allocate<int>(33, "out");
    m.fill(out, 33, 0);
    m.launch({.threads = {32}}, waits_before_a_long_loop, out, rounds);
    auto const& c = m.result().launches[0].total;
    EXPECT_EQ(c.global_stores, 32 * static_cast<std::uint64_t>(rounds));
    EXPECT_EQ(c.global_requests, static_cast<std::uint64_t>(rounds));
  }
}

}  // namespace
}  // namespace upsweep::sim_test
