/// What orders the accesses of threads, and what does not.
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

// What barriers, clusters and flags order, and what they do not.

/// "0.0-2.0 " for each finding, by its two threads.
template <class... Parameters, class... Arguments>
std::string races_of(sim::options const& how, simt::launch_shape const& shape,
                     void (*kernel)(int*, Parameters...), Arguments... arguments) {
  sim::machine m(how);
  auto* const x = m.allocate<int>(128, "x");
  m.fill(x, 128, 0);
  m.launch(shape, kernel, x, arguments...);
  std::string all;
  auto const name = [](auto const& thread) {
    return std::to_string(thread->block) + "." + std::to_string(thread->thread);
  };
  for (auto const& f : m.result().findings) {
    EXPECT_TRUE(f.first_thread && f.second_thread) << f.sentence;
    all += name(f.first_thread) + "-" + name(f.second_thread) + " ";
  }
  return all;
}

/// Block 0 publishes x[0]; of the second cluster, block 2 asks, or none, and block 3 reads.
__global__ void publishes_to_a_cluster(int* x, bool asks) {
  if (blockIdx.x == 0) {
    x[0] = 5;
    __threadfence();
    atomicExch(&x[1], 1);
  }
  if (blockIdx.x == 2 && asks) {
    while (atomicAdd(&x[1], 0) == 0) {
    }
    __threadfence();
  }
  cooperative_groups::this_cluster().sync();
  if (blockIdx.x == 3) x[2] = x[0];
}
TEST(order, a_cluster_knows_what_one_of_its_blocks_has_asked_for_and_no_more) {
  simt::launch_shape const shape{.blocks = {4}, .threads = {1}, .cluster = 2};
  EXPECT_EQ(races_of({}, shape, publishes_to_a_cluster, true), "");
  EXPECT_EQ(races_of({}, shape, publishes_to_a_cluster, false), "0.0-3.0 ");
}

__global__ void meets_and_races(int* x, int times) {
  for (int i = 0; i < times; ++i) __syncthreads();
  if (threadIdx.x == 0) x[0] = 1;
  if (threadIdx.x == 1) x[1] = x[0];
}
/// An epoch counts 65520 of them; after that a block is not checked against itself.
TEST(order, races_are_found_behind_tens_of_thousands_of_barriers) {
  for (auto const& [times, is_found] : {std::pair{0, true}, {65519, true}, {65520, false}})
    EXPECT_NE(races_of({}, {.threads = {2}}, meets_and_races, times).empty(), is_found) << times;
}

/// Thread 0 publishes x[0] by a flag in shared memory, in which thread 32 may store another number;
/// thread 64 reads x[0] after the flag.
__global__ void overwrites_a_flag(int* x, int place, bool overwrites) {
  __shared__ int flags[4];
  unsigned const t = threadIdx.x;
  ::cuda::atomic_ref<int, ::cuda::thread_scope_block> flag(flags[place]);
  if (t < 4) flags[t] = 0;
  __syncthreads();
  if (t == 0) {
    x[0] = 5;
    flag.store(1, ::cuda::memory_order_release);
  }
  if (t == 32 && overwrites) {
    while (flag.load(::cuda::memory_order_relaxed) == 0) {
    }
    flag.store(2, ::cuda::memory_order_relaxed);
  }
  if (t == 64) {
    while (flag.load(::cuda::memory_order_acquire) != (overwrites ? 2 : 1)) {
    }
    x[1] = x[0];
  }
}
TEST(order, a_store_into_a_flag_of_a_block_takes_the_place_of_what_it_published) {
  for (int const place : {0, 1, 3}) {
    EXPECT_EQ(races_of({}, {.threads = {96}}, overwrites_a_flag, place, false), "") << place;
    EXPECT_EQ(races_of({}, {.threads = {96}}, overwrites_a_flag, place, true), "0.0-0.64 ")
        << place;
  }
}

__device__ void set(int* flag) {
  atomicExch(flag, 1);
}
__device__ void wait_for(int* flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
}
/// Block 1 reads plainly what block 0 has added to, and may swap it when block 0 has met at a
/// barrier.
__global__ void swaps_late(int* x, bool swaps) {
  if (blockIdx.x == 0) {
    atomicAdd(&x[0], 1);
    set(&x[1]);
    wait_for(&x[2]);
    __syncthreads();
    set(&x[3]);
  } else {
    wait_for(&x[1]);
    int const before = x[0];
    set(&x[2]);
    wait_for(&x[3]);
    if (swaps) atomicCAS(&x[0], before, before + 1);
  }
}
TEST(order, a_read_that_a_swap_excuses_is_judged_at_barriers_of_its_own_block_only) {
  for (auto const how : {sim::schedule::in_order, sim::schedule::round_robin}) {
    EXPECT_EQ(races_of({.how = how}, {.blocks = {2}, .threads = {1}}, swaps_late, true), "");
    EXPECT_EQ(races_of({.how = how}, {.blocks = {2}, .threads = {1}}, swaps_late, false),
              "0.0-1.0 ");
  }
}

// Reads by several blocks are remembered until a write that all of them precede.

enum class step { nothing, reads, writes, meets, adds, loads };

/// Each block does its steps with element 0, thread by thread: `threads` of them do each.
__global__ void plays(int* x, step const* steps, unsigned n, unsigned threads) {
  unsigned const t = threadIdx.x;
  for (unsigned i = 0; i < n; ++i) {
    step const now = steps[blockIdx.x * n + i];
    if (now == step::meets) __syncthreads();
    if (t >= threads) continue;
    if (now == step::reads) x[100 + 64 * blockIdx.x + t] = x[0];
    if (now == step::writes && t == 0) x[0] = static_cast<int>(blockIdx.x) + 1;
    if (now == step::adds) atomicAdd(&x[0], 1);
    if (now == step::loads)
      x[100 + 64 * blockIdx.x + t] =
          ::cuda::atomic_ref<int, ::cuda::thread_scope_device>(x[0]).load(
              ::cuda::memory_order_relaxed);
  }
}

/// "0-1 " for a race of blocks 0 and 1, in their order; once, however often it is found.
std::string races_of(std::vector<std::vector<step>> const& blocks, unsigned threads) {
  std::vector<step> all;
  for (auto const& b : blocks) all.insert(all.end(), b.begin(), b.end());
  sim::machine m;
  auto* const x = m.allocate<int>(512, "x");
  m.fill(x, 512, 0);
  auto* const steps = m.allocate<step>(all.size(), "steps");
  m.to_device(steps, all);
  m.launch({.blocks = {blocks.size()}, .threads = {64}}, plays, x, static_cast<step const*>(steps),
           static_cast<unsigned>(blocks[0].size()), threads);
  std::string text;
  for (auto const& f : m.result().findings) {
    std::string const pair =
        std::to_string(f.first_thread->block) + "-" + std::to_string(f.second_thread->block) + " ";
    if (text.find(pair) == text.npos) text += pair;
  }
  return text;
}

TEST(reads, of_other_blocks_are_remembered_behind_a_barrier) {
  using enum step;
  for (unsigned const threads : {1u, 3u, 40u}) {
    SCOPED_TRACE(threads);
    EXPECT_EQ(races_of({{reads, nothing, nothing, nothing}, {reads, meets, reads, writes}}, 1),
              "0-1 ");
    EXPECT_EQ(races_of({{reads, nothing, nothing}, {reads, meets, writes}}, threads), "0-1 ");
    EXPECT_EQ(races_of({{nothing, nothing, nothing}, {reads, meets, writes}}, threads), "");
    EXPECT_EQ(races_of({{reads, nothing}, {reads, nothing}, {nothing, writes}}, threads), "1-2 ");
    EXPECT_EQ(races_of({{reads, meets, reads, meets}, {reads, meets, reads, meets}}, threads), "");
    EXPECT_EQ(races_of({{loads, nothing}, {meets, writes}}, threads), "0-1 ");
    EXPECT_EQ(races_of({{loads, nothing}, {loads, adds}}, threads), "");
    EXPECT_EQ(races_of({{reads, nothing}, {loads, adds}}, threads), "0-1 ");
    EXPECT_EQ(races_of({{adds, nothing}, {adds, meets}, {nothing, reads}}, threads), "0-2 ");
    EXPECT_EQ(races_of({{writes, meets, adds}, {nothing, nothing, adds}}, threads), "0-1 ");
  }
  // In one block all is in order, whatever it did before.
  EXPECT_EQ(races_of({{reads, meets, writes, meets, reads, meets, adds, meets, loads, meets, writes,
                       meets, reads}},
                     40),
            "");
}

/// Thread 31 writes after the barrier; then thread 0 sets a flag, for itself alone.
__global__ void flag_of_one_thread(int* x, bool meets_again) {
  unsigned const t = threadIdx.x;
  if (blockIdx.x == 0) {
    __syncthreads();
    if (t == 31) x[0] = 5;
    if (meets_again) __syncthreads();
    if (t == 0) {
      __threadfence();
      atomicExch(&x[1], 1);
    }
  } else if (t == 0) {
    while (atomicAdd(&x[1], 0) == 0) {
    }
    __threadfence();
    x[2] = x[0];
  }
}
TEST(reads, behind_a_flag_see_what_its_thread_knew) {
  for (bool const meets_again : {false, true}) {
    sim::machine m;
    auto* const x = m.allocate<int>(3, "x");
    m.fill(x, 3, 0);
    m.launch({.blocks = {2}, .threads = {32}}, flag_of_one_thread, x, meets_again);
    auto const& found = m.result().findings;
    EXPECT_EQ(found.empty(), meets_again);
    if (found.empty()) continue;
    EXPECT_EQ(found[0].first_thread, (sim::thread_number{0, 31}));
    EXPECT_EQ(found[0].second_thread, (sim::thread_number{1, 0}));
  }
}

}  // namespace
}  // namespace upsweep::sim_test
