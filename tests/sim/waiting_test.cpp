/// Threads that wait for what cannot happen are reported soon, on every schedule.
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <ctime>

namespace {

using namespace upsweep;

/// Ways to wait for the flag of the next block, which is not resident.
enum class wait { load, two_loads, eight_loads, load_and_sleep, atomic, atomic_and_load };

__global__ void waits(int* flags, wait how) {
  unsigned const b = blockIdx.x;
  if (threadIdx.x == 0 && b + 1 < gridDim.x) {
    int next = 0, other = 0;
    for (unsigned round = 0; next == 0 && other == 0; ++round) {
      if (how == wait::atomic || how == wait::atomic_and_load)
        next = atomicAdd(&flags[b + 1], 0);
      else
        next = flags[b + 1];
      if (how == wait::two_loads || how == wait::atomic_and_load) other = flags[64];
      if (how == wait::eight_loads) other = flags[64 + round % 8];
      if (how == wait::load_and_sleep) __nanosleep(100);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&flags[b], 1);
}

TEST(waiting, deadlocks_are_reported_within_five_seconds_on_every_schedule) {
  for (auto const kind : {wait::load, wait::two_loads, wait::eight_loads, wait::load_and_sleep,
                          wait::atomic, wait::atomic_and_load})
    for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin,
                           sim::schedule::random, sim::schedule::adversarial}) {
      sim::machine m({.how = how, .seed = 2, .resident_blocks = 4, .step_limit = 1u << 20});
      auto const flags = m.allocate<int>(72, "flags");
      m.fill(flags, 72, 0);
      std::clock_t const begin = std::clock();
      EXPECT_THROW(m.launch({.blocks = {40}, .threads = {32}}, waits, flags, kind),
                   sim::kernel_failure)
          << static_cast<int>(kind) << ", schedule " << static_cast<int>(how);
      EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 5);
    }
}

}  // namespace
