/// Races are found on every schedule, right kernels have none on any, and a race's text says what
/// its threads do.
#include "modules.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using upsweep::sim::finding;
using upsweep::sim::finding_kind;

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
