/// Everyday CUDA C++ runs unchanged, on every schedule, without a finding.
#include "modules.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

/// Calls a function of the module on every schedule.
template <class... Arguments>
void expect_right(char const* function, Arguments... arguments) {
  upsweep::sim::module const module(UPSWEEP_MODULE_everyday);
  auto* const test = module.function<bool(Arguments...)>(function);
  ASSERT_NE(test, nullptr) << function;
  upsweep::sim_test::on_every_schedule(function, [&](upsweep::sim::machine const& m) {
    EXPECT_TRUE(test(arguments...));
    upsweep::sim_test::expect_no_finding(m);
  });
}

TEST(plain_cuda, histogram_in_shared_memory) {
  expect_right("histogram_is_right");
}
TEST(plain_cuda, transposes_through_a_two_dimensional_tile) {
  expect_right("transpose_is_right", true);
  expect_right("transpose_is_right", false);
}
TEST(plain_cuda, reduces_in_dynamic_shared_memory) {
  expect_right("dynamic_tree_is_right");
}
TEST(plain_cuda, scans_a_warp_by_shuffles) {
  expect_right("warp_scan_is_right");
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
