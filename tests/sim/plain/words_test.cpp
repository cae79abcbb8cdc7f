/// The words of CUDA C++, and everyday programs.
#include "modules.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

// The words of CUDA C++: what they give, and what is found when they are misused.

using namespace upsweep::sim_test;
using upsweep::sim::finding_kind;

/// On every schedule, `function` returns true and nothing is found.
template <class... Arguments>
void expect_right(char const* file, char const* function, Arguments... arguments) {
  upsweep::sim::module const module(file);
  auto* const test = module.function<bool(Arguments...)>(function);
  ASSERT_NE(test, nullptr) << function;
  on_every_schedule(function, [&](upsweep::sim::machine const& m) {
    EXPECT_TRUE(test(arguments...));
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
  expect_finding(finding_kind::refused_call, "launch_of_a_destroyed_graph", "has been destroyed");
  expect_finding(finding_kind::refused_call, "instance_of_a_gone_graph", "has been destroyed");
  expect_finding(finding_kind::refused_call, "graph_destroyed_twice", "already been destroyed");
  expect_finding(finding_kind::refused_call, "instance_destroyed_twice", "already been destroyed");
}
TEST(plain_cuda_misuse, kernels_that_stop_themselves) {
  expect_finding(finding_kind::trap, "fails_an_assertion", "assert(p[threadIdx.x] == 0)");
  expect_finding(finding_kind::misuse, "synchronizes_a_plain_grid", "cudaLaunchCooperativeKernel");
  expect_finding(finding_kind::misuse, "arrives_too_often", "more threads arrive");
  expect_finding(finding_kind::misuse, "different_numbers_of_threads", "different numbers");
}
TEST(plain_cuda_misuse, arguments_of_shuffles) {
  expect_finding(finding_kind::misuse, "too_far_a_shuffle", "over 40 lanes");
  expect_finding(finding_kind::misuse, "too_large_a_lane_mask", "a lane mask of 33");
  expect_finding(finding_kind::misuse, "width_of_no_subsection", "a width of 64");
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
  expect_finding(finding_kind::race_in_block, "uses_a_barrier_early", "the shared array 'b'");
}

// Everyday CUDA C++ runs unchanged, on every schedule, without a finding.

TEST(plain_cuda, histogram_in_shared_memory) {
  expect_right(UPSWEEP_MODULE_everyday, "histogram_is_right");
}
TEST(plain_cuda, transposes_through_a_two_dimensional_tile) {
  expect_right(UPSWEEP_MODULE_everyday, "transpose_is_right", true);
  expect_right(UPSWEEP_MODULE_everyday, "transpose_is_right", false);
}
TEST(plain_cuda, reduces_in_dynamic_shared_memory) {
  expect_right(UPSWEEP_MODULE_everyday, "dynamic_tree_is_right");
}
TEST(plain_cuda, scans_a_warp_by_shuffles) {
  expect_right(UPSWEEP_MODULE_everyday, "warp_scan_is_right");
}

TEST(plain_cuda, runs_independent_blocks_on_several_host_threads) {
  constexpr int blocks = 200, n = 64 * blocks;
  std::vector<unsigned char> values(n);
  for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = static_cast<unsigned char>(i);
  upsweep::sim::module const module(UPSWEEP_MODULE_everyday);
  auto* const kernel = module.function<void(unsigned char const*, int*)>("scan_bytes");
  for (unsigned const threads : {1U, 3U}) {
    upsweep::sim::machine m({.threads = threads});
    upsweep::sim::runtime const runtime(m);
    unsigned char* in = nullptr;
    int* out = nullptr;
    module.function<void(int, unsigned char const*, unsigned char**, int**)>("allocate_for_bytes")(
        n, values.data(), &in, &out);
    m.launch(
        {.name = "scan_bytes", .blocks = {blocks}, .threads = {64}, .independent_blocks = true},
        kernel, in, out);
    for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
    std::vector<int> results(n);
    module.function<void(int*, int const*, int)>("copy_back")(results.data(), out, n);
    for (int b = 0; b < blocks; ++b)
      for (int t = 0, sum = 0; t < 64; ++t) {
        sum += values[static_cast<std::size_t>(64 * b + 63 - t)];
        ASSERT_EQ(results[static_cast<std::size_t>(64 * b + t)], sum) << "block " << b;
      }
  }
}

/// The values of lane 3 in the steps that store to `buffer`.
template <class T>
std::vector<T> stored_by_lane_3(upsweep::sim::traced_launch const& launch, char const* buffer) {
  std::vector<T> values;
  for (auto const& s : launch.steps)
    for (auto const& e : s.lanes)
      if (s.kind == upsweep::sim::step_kind::store && e.lane == 3 &&
          launch.buffers[static_cast<std::size_t>(e.buffer)].name == buffer) {
        EXPECT_EQ(e.size, sizeof(T));
        std::memcpy(&values.emplace_back(), e.value.data(), sizeof(T));
      }
  return values;
}

TEST(plain_cuda, traces_the_values_of_stores) {
  upsweep::sim::module const module(UPSWEEP_MODULE_everyday);
  for (auto const& [how, seed] : upsweep::sim_test::turns) {
    upsweep::sim::machine m({.trace = true, .how = how, .seed = seed});
    upsweep::sim::runtime const runtime(m);
    module.function<void()>("run_stores")();
    auto const& launch = m.result().trace.launches.at(0);
    EXPECT_EQ(stored_by_lane_3<short>(launch, "shared:half"), std::vector<short>{103});
    ASSERT_EQ(launch.buffers.size(), 3U);
    std::vector<int> first;
    std::vector<float> last;
    for (auto const& s : launch.steps)
      for (auto const& e : s.lanes)
        if (s.kind == upsweep::sim::step_kind::store && e.lane == 3 && e.size != sizeof(short)) {
          int word = 0;
          std::memcpy(&word, e.value.data(), sizeof word);
          first.push_back(word);
          if (e.size == 16) {
            last.resize(4);
            std::memcpy(last.data(), e.value.data(), 16);
          }
        }
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(first[0], 206);
    EXPECT_EQ(first[1], __builtin_bit_cast(int, 0.5F));
    EXPECT_EQ(last, (std::vector<float>{3, 1, 2, 3}));
  }
}

/// Those of textbook kernels are in tests/sim/kernels_test.cpp.
TEST(plain_cuda_counts, name_shared_arrays_and_lines) {
  upsweep::sim::module const module(UPSWEEP_MODULE_everyday);
  upsweep::sim::machine plain{{}};
  upsweep::sim::runtime const runtime(plain);
  std::vector<int> const values(128, 1);
  EXPECT_EQ(module.function<int(int const*)>("run_shuffle_reduce")(values.data()), 128);
  upsweep::sim::launch_report const& launch = plain.result().launches.back();
  EXPECT_EQ(launch.name, "shuffle_reduce");
  ASSERT_TRUE(launch.buffers.contains("shared:totals"));
  EXPECT_EQ(launch.buffers.at("shared:totals").loads, 4U);
  EXPECT_EQ(launch.buffers.at("in").loads, 128U);
  unsigned const line =
      upsweep::sim_test::line_that_ends_in("totals[t / 32] = sum;", UPSWEEP_SOURCES "/everyday.cu");
  auto const found = std::ranges::find_if(
      launch.lines, [&](upsweep::sim::line_counts const& l) { return l.line.line == line; });
  ASSERT_NE(found, launch.lines.end());
  EXPECT_TRUE(found->line.file.ends_with("everyday.cu"));
  EXPECT_EQ(found->counts.shared_stores, 4U);
}

}  // namespace
