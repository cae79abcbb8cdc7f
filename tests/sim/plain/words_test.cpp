/// The words of CUDA C++: what they give, and what is found when they are misused.
#include "modules.hpp"

#include <string>

namespace {

using namespace upsweep::sim_test;
using upsweep::sim::finding_kind;

/// On every schedule, `function` returns true and nothing is found.
void expect_right(char const* file, std::string const& function) {
  upsweep::sim::module const module(file);
  auto* const test = module.function<bool()>(function.c_str());
  ASSERT_NE(test, nullptr) << function;
  on_every_schedule(function, [&](upsweep::sim::machine const& m) {
    EXPECT_TRUE(test());
    expect_no_finding(m);
  });
}

/// On every schedule, `function` has a finding at the line with the comment WRONG; it returns true.
void expect_finding(finding_kind kind, std::string const& function, std::string const& part) {
  upsweep::sim::module const module(UPSWEEP_MODULE_misused_words);
  auto* const test = module.function<bool()>(function.c_str());
  ASSERT_NE(test, nullptr) << function;
  unsigned const line =
      line_that_ends_in("// WRONG " + function, UPSWEEP_SOURCES "/misused_words.cu");
  on_every_schedule(function, [&](upsweep::sim::machine const& m) {
    EXPECT_TRUE(test());
    expect_finding_at(line, kind, {part}, m);
  });
}

TEST(plain_cuda_words, everyday_snippets_give_what_cuda_gives) {
  upsweep::sim::module const module(UPSWEEP_MODULE_snippets);
  auto* const count = module.function<int()>("snippets");
  auto* const name = module.function<char const*(int)>("snippet_name");
  auto* const wrong = module.function<int(int)>("wrong_thread_of_snippet");
  for (int i = 0; i < count(); ++i)
    on_every_schedule(name(i), [&](upsweep::sim::machine const& m) {
      EXPECT_EQ(wrong(i), -1);
      expect_no_finding(m);
    });
}

class plain_cuda_kernel_word : public testing::TestWithParam<char const*> {};
TEST_P(plain_cuda_kernel_word, gives_what_cuda_gives) {
  expect_right(UPSWEEP_MODULE_kernel_words, GetParam());
}
INSTANTIATE_TEST_SUITE_P(words, plain_cuda_kernel_word,
                         testing::Values("integer_intrinsics", "rounding_modes", "conversions",
                                         "atomics_of_types", "atomics_with_orders", "wide_values",
                                         "half_arithmetic", "bfloat16_arithmetic"),
                         [](auto const& p) { return std::string(p.param); });

class plain_cuda_group_word : public testing::TestWithParam<char const*> {};
TEST_P(plain_cuda_group_word, gives_what_cuda_gives) {
  expect_right(UPSWEEP_MODULE_group_words, GetParam());
}
INSTANTIATE_TEST_SUITE_P(words, plain_cuda_group_word,
                         testing::Values("grid_barrier", "groups_of_lanes", "partitions",
                                         "group_scans", "group_copies", "split_barrier",
                                         "pipeline_of_a_thread", "pipeline_of_a_block", "bulk_copy",
                                         "flags_between_blocks", "ptx_functions",
                                         "aggregated_atomics", "barriers_of_parts",
                                         "tiles_of_several_warps"),
                         [](auto const& p) { return std::string(p.param); });

class plain_cuda_runtime : public testing::TestWithParam<char const*> {};
TEST_P(plain_cuda_runtime, answers_as_a_gpu_does) {
  expect_right(UPSWEEP_MODULE_host_words, GetParam());
}
INSTANTIATE_TEST_SUITE_P(calls, plain_cuda_runtime,
                         testing::Values("memory_calls", "symbols", "streams_and_events",
                                         "device_queries", "kernel_attributes", "other_launches",
                                         "error_names", "launch_arguments", "host_atomics"),
                         [](auto const& p) { return std::string(p.param); });

class plain_cuda_graph : public testing::TestWithParam<char const*> {};
TEST_P(plain_cuda_graph, runs_its_nodes_after_what_they_depend_on) {
  expect_right(UPSWEEP_MODULE_graph_words, GetParam());
}
INSTANTIATE_TEST_SUITE_P(calls, plain_cuda_graph,
                         testing::Values("captured_graphs", "graphs_made_of_nodes",
                                         "forgotten_dependency_of_nodes", "order_of_nodes"),
                         [](auto const& p) { return std::string(p.param); });
TEST(plain_cuda_cluster, has_the_shape_that_the_launch_says) {
  expect_right(UPSWEEP_MODULE_device_words, "cluster_words");
  expect_right(UPSWEEP_MODULE_device_words, "clusters_in_three_dimensions");
}

TEST(plain_cuda_misuse, launches_beyond_the_limits_of_a_gpu) {
  expect_finding(finding_kind::refused_call, "too_many_threads", "2048");
  expect_finding(finding_kind::refused_call, "too_deep_a_block", "z = 128");
  expect_finding(finding_kind::refused_call, "too_tall_a_grid", "y = 70000");
  expect_finding(finding_kind::refused_call, "empty_grid", "nothing to do");
  expect_finding(finding_kind::refused_call, "too_much_dynamic_memory", "cudaFuncSetAttribute");
  expect_finding(finding_kind::refused_call, "too_large_a_limit", "bytes of dynamic shared memory");
  expect_finding(finding_kind::refused_call, "too_large_a_cluster", "cluster has 32");
  expect_finding(finding_kind::refused_call, "uneven_cluster", "not a multiple");
  expect_finding(finding_kind::refused_call, "uneven_rows_of_clusters", "3 blocks along y");
  expect_finding(finding_kind::refused_call, "too_large_a_grid", "resident");
}
TEST(plain_cuda_misuse, graphs_that_cannot_run) {
  expect_finding(finding_kind::refused_call, "circle_of_nodes", "form a circle");
  expect_finding(finding_kind::refused_call, "node_of_another_graph", "no node of the graph");
}
TEST(plain_cuda_misuse, kernels_that_stop_themselves) {
  expect_finding(finding_kind::trap, "fails_an_assertion", "assert(p[threadIdx.x] == 0)");
  expect_finding(finding_kind::misuse, "synchronizes_a_plain_grid", "cudaLaunchCooperativeKernel");
  expect_finding(finding_kind::misuse, "arrives_too_often", "more threads arrive");
  expect_finding(finding_kind::misuse, "different_numbers_of_threads", "different numbers");
}
TEST(plain_cuda_misuse, copies_nobody_waits_for) {
  expect_finding(finding_kind::uninitialized_read, "forgets_to_wait", "tile");
  expect_finding(finding_kind::uninitialized_read, "waits_for_too_few", "tile");
  expect_finding(finding_kind::race_in_block, "reads_a_bulk_copy_early", "tile");
}
/// What is found on a schedule of the sum whose lanes are expected to run in step.
std::string findings_of_volatile_sum(upsweep::sim::options const& how, bool& is_right) {
  upsweep::sim::module const module(UPSWEEP_MODULE_misused_words);
  upsweep::sim::machine m(how);
  upsweep::sim::runtime const runtime(m);
  is_right = module.function<bool()>("volatile_sum")();
  std::string all;
  for (auto const& f : m.result().findings) all += std::string(name_of(f.kind)) + f.sentence;
  return all;
}
TEST(plain_cuda_misuse, volatile_accesses_order_lanes_on_the_lockstep_schedule_only) {
  for (auto const& [how, seed] : turns) {
    bool is_right = false;
    auto const found = findings_of_volatile_sum({.how = how, .seed = seed}, is_right);
    EXPECT_FALSE(is_right) << static_cast<int>(how) << ", seed " << seed;
    EXPECT_NE(found.find("race in a block"), found.npos) << found;
    EXPECT_NE(found.find("--schedule lockstep"), found.npos) << found;
  }
  for (bool const traces : {false, true}) {
    bool is_right = false;
    auto const found = findings_of_volatile_sum(
        {.trace = traces, .how = upsweep::sim::schedule::lockstep}, is_right);
    EXPECT_TRUE(is_right);
    EXPECT_NE(found.find("__syncwarp"), found.npos) << found;
  }
}
TEST(plain_cuda_misuse, barriers_that_are_missing) {
  expect_finding(finding_kind::race_in_block, "arrives_without_waiting", "tile");
  expect_finding(finding_kind::race_between_blocks, "lacks_a_grid_barrier", "");
}

}  // namespace
