/// Mistakes and races in plain CUDA C++.
#include "modules.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

// Mistakes in plain CUDA C++: kind, line, and the array by its name.

using namespace upsweep::sim_test;
using upsweep::sim::finding_kind;

constexpr char const* source = UPSWEEP_SOURCES "/mistakes.cu";

/// `parts` are in the sentence.
void expect_finding(finding_kind kind, std::string const& name,
                    std::vector<std::string> const& parts) {
  upsweep::sim::module const module(UPSWEEP_MODULE_mistakes);
  auto* const run = module.function<void()>(("run_" + name).c_str());
  ASSERT_NE(run, nullptr) << name;
  unsigned const line = line_that_ends_in("// WRONG " + name, source);
  on_every_schedule(name, [&](upsweep::sim::machine const& m) {
    run();
    expect_finding_at(line, kind, parts, m);
  });
}

TEST(plain_cuda_mistakes, uninitialized_shared_memory) {
  expect_finding(finding_kind::uninitialized_read, "reads_unwritten",
                 {"element 5 of the shared array 'tile'", "mistakes.cu:"});
}
TEST(plain_cuda_mistakes, managed_memory_that_nobody_has_written) {
  expect_finding(finding_kind::uninitialized_read, "reads_what_the_host_only_read",
                 {"element 0 of buffer 'place'", "mistakes.cu:"});
}
TEST(plain_cuda_mistakes, increments_without_an_atomic) {
  expect_finding(finding_kind::race_in_block, "increments_together",
                 {"the shared array 'bins'", "atomicAdd"});
}
TEST(plain_cuda_mistakes, missing_barriers) {
  expect_finding(finding_kind::race_in_block, "lacks_a_barrier",
                 {"the shared array 'tile'", "__syncthreads()"});
}
TEST(plain_cuda_mistakes, indices_out_of_bounds) {
  expect_finding(finding_kind::out_of_bounds, "reads_after",
                 {"element 64 of the shared array 'first'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_before",
                 {"element -1 of the shared array 'second'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "reads_after_dynamic",
                 {"element 64 of the dynamic shared array 'part'", "has 64 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_after_buffer",
                 {"element 128 of buffer 'place'", "has 128 elements"});
  expect_finding(finding_kind::out_of_bounds, "after_variable",
                 {"element 4 of", "'counters'", "has 4 elements"});
}
TEST(plain_cuda_mistakes, unsigned_indices_below_zero) {
  expect_finding(finding_kind::out_of_bounds, "reads_before_unsigned",
                 {"element -1 of buffer 'place'", "has 128 elements"});
  expect_finding(finding_kind::out_of_bounds, "writes_before_unsigned",
                 {"of the shared array 'tile'", "has 64 elements", "element -"});
}
TEST(plain_cuda_mistakes, misaligned_vectors) {
  expect_finding(finding_kind::misaligned, "reads_misaligned", {"byte 4", "multiple of 16 bytes"});
}
TEST(plain_cuda_mistakes, memory_of_the_other_side) {
  expect_finding(finding_kind::wrong_memory, "reads_host_memory", {"memory of the host"});
  expect_finding(finding_kind::wrong_memory, "host_reads_device",
                 {"the host reads buffer 'place'", "cudaMemcpy"});
}
TEST(plain_cuda_mistakes, null_and_freed_pointers) {
  expect_finding(finding_kind::out_of_bounds, "reads_null", {"through a null pointer"});
  expect_finding(finding_kind::out_of_bounds, "reads_freed", {"buffer 'place'", "freed"});
}
TEST(plain_cuda_mistakes, barriers_in_a_branch) {
  expect_finding(finding_kind::barrier_divergence, "barrier_in_branch", {"two different barriers"});
  expect_finding(finding_kind::barrier_divergence, "barriers_of_a_function",
                 {"two different barriers"});
}
TEST(plain_cuda_mistakes, barriers_on_one_line) {
  expect_finding(finding_kind::barrier_divergence, "barriers_on_one_line",
                 {"two different barriers on one line, mistakes.cu:"});
}
TEST(plain_cuda_mistakes, copies_of_a_barrier_are_not_different_ones) {
  upsweep::sim::module const module(UPSWEEP_MODULE_mistakes);
  on_every_schedule("copies", [&](upsweep::sim::machine const& m) {
    module.function<void()>("run_one_barrier_many_times")();
    expect_no_finding(m);
  });
}
TEST(plain_cuda_mistakes, blocks_that_write_one_element) {
  expect_finding(finding_kind::race_between_blocks, "blocks_write_the_same", {"buffer 'place'"});
}
TEST(plain_cuda_mistakes, lanes_that_do_not_shuffle) {
  expect_finding(finding_kind::missing_lane, "lane_missing", {});
}
TEST(plain_cuda_mistakes, volatile_instead_of_syncwarp) {
  expect_finding(finding_kind::race_in_block, "relies_on_lockstep",
                 {"the shared array 'sums'", "__syncwarp"});
}

// Races are found on every schedule, right kernels have none on any, and a race's text says what
// its threads do.

using upsweep::sim::finding;

/// Calls `check` with the findings of each schedule.
void on_every_schedule(std::string const& name,
                       std::function<void(std::vector<finding> const&)> const& check) {
  upsweep::sim::module const module(UPSWEEP_MODULE_unordered);
  auto* const run = module.function<void()>(("run_" + name).c_str());
  ASSERT_NE(run, nullptr) << name;
  upsweep::sim_test::on_every_schedule(name, [&](upsweep::sim::machine const& m) {
    run();
    check(m.result().findings);
  });
}

void expect_only(finding_kind kind, std::string const& name,
                 std::vector<std::string> const& parts = {},
                 std::vector<std::string> const& never = {}) {
  on_every_schedule(name, [&](std::vector<finding> const& findings) {
    EXPECT_FALSE(findings.empty());
    for (finding const& f : findings) {
      EXPECT_EQ(f.kind, kind) << f.sentence;
      for (auto const& part : parts)
        EXPECT_NE(f.sentence.find(part), std::string::npos) << f.sentence;
      for (auto const& part : never)
        EXPECT_EQ(f.sentence.find(part), std::string::npos) << f.sentence;
    }
  });
}
void expect_among(finding_kind kind, std::string const& name) {
  on_every_schedule(name, [&](std::vector<finding> const& findings) {
    EXPECT_TRUE(std::ranges::any_of(findings, [&](finding const& f) { return f.kind == kind; }));
  });
}
void expect_none(std::string const& name) {
  on_every_schedule(name, [&](std::vector<finding> const& findings) {
    for (finding const& f : findings) ADD_FAILURE() << f.sentence;
  });
}

TEST(unordered, a_plain_store_and_anothers_atomic_are_a_race_on_every_schedule) {
  expect_among(finding_kind::race_in_block, "clears_while_others_add");
  expect_among(finding_kind::race_between_blocks, "clears_bins_of_the_grid");
  expect_only(finding_kind::race_between_blocks, "loads_atomically_what_is_written");
  expect_only(finding_kind::race_between_blocks, "writes_what_is_loaded_atomically");
}
TEST(unordered, a_barrier_of_one_block_does_not_order_anothers_atomics) {
  on_every_schedule("reads_what_another_block_adds",
                    [](std::vector<finding> const& findings) { EXPECT_FALSE(findings.empty()); });
}
TEST(unordered, readers_of_several_blocks_are_all_remembered) {
  expect_only(finding_kind::race_between_blocks, "halo_in_place");
  expect_only(finding_kind::race_between_blocks, "three_blocks_read_before_one_writes");
}
TEST(unordered, a_syncwarp_orders_only_the_lanes_that_take_part) {
  expect_among(finding_kind::race_in_block, "half_a_warp_has_left");
  expect_among(finding_kind::race_in_block, "halves_of_a_warp_meet_apart");
}
TEST(unordered, a_failed_swap_publishes_nothing) {
  on_every_schedule("publishes_by_a_failed_swap",
                    [](std::vector<finding> const& findings) { EXPECT_EQ(findings.size(), 1U); });
}
TEST(unordered, a_fence_publishes_only_what_came_before_it) {
  expect_only(finding_kind::missing_fence, "fence_before_the_barrier");
}
TEST(unordered, a_loop_of_swaps_may_begin_with_a_plain_read) {
  expect_none("swaps_until_it_succeeds");
  expect_none("swaps_in_shared_memory");
  expect_only(finding_kind::race_in_block, "adds_what_it_has_read");
}
TEST(unordered, a_writer_that_has_met_every_reader_is_ordered) {
  expect_none("readers_hand_over_one_by_one");
  expect_none("reads_again_after_the_others");
}
TEST(unordered, the_last_block_without_a_fence_has_one_text_for_one_cause) {
  expect_only(finding_kind::missing_fence, "last_block_without_fence", {"no fence orders the data"},
              {"nothing orders the two blocks"});
}
TEST(unordered, a_flag_without_fences_is_named_with_its_data) {
  expect_only(finding_kind::missing_fence, "volatile_flag_without_fences",
              {"element 0 of buffer 'data'", "a flag, element 0 of buffer 'ready',"});
}
TEST(undefined_values, of_shuffles_matter_only_to_lanes_that_write) {
  expect_none("halves_a_half_warp");
  expect_only(finding_kind::missing_lane, "reads_the_other_half",
              {"lane 23 does not take part in the shuffle", "thread 0 of block 0 writes"});
}
TEST(unordered, stores_of_the_same_value_are_told_from_others) {
  expect_only(finding_kind::race_in_block, "all_write_the_same", {"the same value"});
  expect_only(finding_kind::race_in_block, "all_write_another", {"__syncthreads()"},
              {"the same value"});
}

}  // namespace
