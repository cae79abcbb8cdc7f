/// A kernel in plain CUDA C++ costs what the same kernel with handles costs.
#include "modules.hpp"

#include <sim/kernels.hpp>
#include <upsweep/sim/machine.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

using namespace upsweep;

struct add_ints {
  static constexpr int identity() { return 0; }
  UPSWEEP_SIMT_INLINE int operator()(int a, int b) const { return a + b; }
};

/// Runs both for blocks of 128 threads, each with `per_block` elements, and compares every counter
/// and every result.
template <class Kernel>
void expect_same(char const* name, Kernel const& kernel, int per_block, int blocks = 4) {
  std::vector<int> values(static_cast<std::size_t>(blocks * per_block));
  std::iota(values.begin(), values.end(), 1);
  sim::machine handles{{}};
  auto const in = handles.allocate<int>(values.size(), "in"),
             out = handles.allocate<int>(values.size(), "out");
  handles.to_device(in, values);
  handles.fill(out, values.size(), 0);
  handles.launch({.blocks = {blocks}, .threads = {128}}, kernel, in, out, add_ints{});

  sim::module const module(UPSWEEP_MODULE_textbook);
  auto* const run = module.function<void(int, int, int const*, int*)>(name);
  ASSERT_NE(run, nullptr) << name;
  sim::machine plain{{}};
  sim::runtime const runtime(plain);
  std::vector<int> results(values.size());
  run(blocks, 128, values.data(), results.data());

  EXPECT_EQ(results, handles.to_host(out, results.size())) << name;
  EXPECT_GT(plain.result().total().steps, 0U);
  EXPECT_TRUE(plain.result().total() == handles.result().total())
      << name << ": " << plain.result().total().steps << " steps, not "
      << handles.result().total().steps;
  EXPECT_TRUE(plain.result().findings.empty()) << name;
}

TEST(plain_cuda_counts, are_those_of_the_same_kernel_with_handles) {
  namespace t = sim_test;
  using op = add_ints;
  expect_same("run_kogge_stone", t::kogge_stone<int, 128, op>, 128);
  expect_same("run_kogge_stone_double", t::kogge_stone_double<int, 128, op>, 128);
  expect_same("run_brent_kung", t::brent_kung<int, 128, op>, 256);
  expect_same("run_blelloch", t::blelloch<int, 128, 0, op>, 256);
  expect_same("run_blelloch_padded", t::blelloch<int, 128, 1, op>, 256);
  expect_same("run_interleaved", t::interleaved<int, 128, op>, 256, 1);
  expect_same("run_convergent", t::convergent<int, 128, op>, 256, 1);
  expect_same("run_shuffle_reduce", t::shuffle_reduce<int, 128, op>, 128);
}

TEST(plain_cuda_counts, name_shared_arrays_and_lines) {
  sim::module const module(UPSWEEP_MODULE_textbook);
  sim::machine plain{{}};
  sim::runtime const runtime(plain);
  std::vector<int> values(128, 1), results(128);
  module.function<void(int, int, int const*, int*)>("run_shuffle_reduce")(1, 128, values.data(),
                                                                          results.data());
  sim::launch_report const& launch = plain.result().launches.back();
  EXPECT_EQ(launch.name, "run_shuffle_reduce");
  ASSERT_TRUE(launch.buffers.contains("shared:totals"));
  EXPECT_EQ(launch.buffers.at("shared:totals").loads, 4U);
  EXPECT_EQ(launch.buffers.at("in").loads, 128U);
  unsigned const line =
      sim_test::line_that_ends_in("totals[t / 32] = sum;", UPSWEEP_SOURCES "/textbook.cu");
  auto const found = std::ranges::find_if(
      launch.lines, [&](sim::line_counts const& l) { return l.line.line == line; });
  ASSERT_NE(found, launch.lines.end());
  EXPECT_TRUE(found->line.file.ends_with("textbook.cu"));
  EXPECT_EQ(found->counts.shared_stores, 4U);
}

}  // namespace
