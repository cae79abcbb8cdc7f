/// Reads by several blocks are remembered until a write that all of them precede.
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

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
