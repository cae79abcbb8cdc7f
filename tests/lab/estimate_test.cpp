/// Occupancy as CUDA's calculator has it, and estimates of launches that one limit binds. How far
/// estimates are from measured times: tools/estimate_error.py.
#include <lab/estimate.hpp>

#include <gtest/gtest.h>
#include <io/error.hpp>

namespace upsweep::test {
namespace {

lab::gpu_limits const& h200() {
  return lab::gpu_named("h200");
}

TEST(occupancy, is_limited_by_threads_blocks_shared_memory_or_registers) {
  auto const expect = [](lab::occupancy const& o, int blocks, double share, char const* limit) {
    EXPECT_EQ(o.blocks, blocks);
    EXPECT_DOUBLE_EQ(o.share, share);
    EXPECT_STREQ(o.limit, limit);
  };
  expect(lab::occupancy_of(h200(), 256, 0), 8, 1, "threads");
  expect(lab::occupancy_of(h200(), 1024, 0), 2, 1, "threads");
  expect(lab::occupancy_of(h200(), 768, 0), 2, 0.75, "threads");
  expect(lab::occupancy_of(h200(), 32, 0), 32, 0.5, "blocks");
  expect(lab::occupancy_of(h200(), 33, 0), 32, 1, "threads");
  expect(lab::occupancy_of(h200(), 256, 49152), 4, 0.5, "shared memory");
  expect(lab::occupancy_of(h200(), 256, 232448), 1, 0.125, "shared memory");
  expect(lab::occupancy_of(h200(), 256, 0, 64), 4, 0.5, "registers");
  expect(lab::occupancy_of(h200(), 256, 0, 32), 8, 1, "threads");
  // 33 registers of 32 lanes are 1056, for which a warp gets 1280: 65536 / (8 * 1280) = 6.4.
  expect(lab::occupancy_of(h200(), 256, 0, 33), 6, 0.75, "registers");
  expect(lab::occupancy_of(lab::gpu_named("RTX 4090"), 1024, 0), 1, 32.0 / 48, "threads");
  expect(lab::occupancy_of(lab::gpu_named("T4"), 1024, 0), 1, 1, "threads");
}

/// 2^16 blocks of 256 threads.
sim::launch_report full_launch() {
  sim::launch_report l;
  l.shape.blocks = {1u << 16};
  l.shape.threads = {256};
  return l;
}

TEST(estimate, names_what_binds_a_launch) {
  auto copies = full_launch();  // each thread reads and writes 16 bytes once
  copies.total.steps = 2ull << 19;
  copies.total.global_requests = 2ull << 19;
  copies.total.sectors_loaded = copies.total.sectors_stored = 16ull << 19;
  auto const memory = lab::estimate(copies, h200());
  ASSERT_TRUE(memory);
  EXPECT_STREQ(memory->bound, "memory");
  EXPECT_DOUBLE_EQ(memory->memory, 536870912 / 4.2e12);
  EXPECT_DOUBLE_EQ(memory->seconds, memory->memory + 2.5e-6);

  auto computes = copies;
  computes.total.steps = 2000ull << 19;
  EXPECT_STREQ(lab::estimate(computes, h200())->bound, "issue");

  auto conflicts = copies;
  conflicts.total.shared_requests = 20ull << 19;
  conflicts.total.shared_wavefronts = 32 * conflicts.total.shared_requests;
  EXPECT_STREQ(lab::estimate(conflicts, h200())->bound, "shared memory");

  auto alone = copies;
  alone.shape.blocks = {1};
  alone.shape.threads = {32};
  EXPECT_STREQ(lab::estimate(alone, h200())->bound, "latency");
}

TEST(estimate, grows_when_fewer_blocks_are_resident) {
  auto launch = full_launch();
  launch.total.steps = launch.total.shared_requests = launch.total.shared_wavefronts = 10ull << 19;
  auto const all = lab::estimate(launch, h200());
  launch.declared_shared_bytes = 40000;
  launch.shape.shared_bytes = 60000;
  auto const few = lab::estimate(launch, h200());
  EXPECT_DOUBLE_EQ(few->latency, 4 * all->latency);
  EXPECT_DOUBLE_EQ(few->issue, all->issue);
}

TEST(estimate, is_none_where_blocks_wait_for_each_other) {
  auto launch = full_launch();
  launch.total.polls = 1;
  EXPECT_FALSE(lab::estimate(launch, h200()));
}

TEST(estimate, of_a_gpu_that_is_not_known_names_those_that_are) {
  try {
    (void)lab::gpu_named("H300");
    FAIL();
  } catch (io::usage_error const& e) {
    EXPECT_STREQ(e.what(),
                 "there are no limits of a GPU 'H300', only of H200, H100, A100, RTX 4090, T4");
  }
}

}  // namespace
}  // namespace upsweep::test
