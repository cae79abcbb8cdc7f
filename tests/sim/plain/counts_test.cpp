/// Counts of a kernel in plain CUDA C++ are kept by array and by line; those of textbook kernels
/// are in tests/sim/kernels_test.cpp.
#include "modules.hpp"

#include <upsweep/sim/machine.hpp>

#include <algorithm>
#include <vector>

namespace {

using namespace upsweep;

TEST(plain_cuda_counts, name_shared_arrays_and_lines) {
  sim::module const module(UPSWEEP_MODULE_counted);
  sim::machine plain{{}};
  sim::runtime const runtime(plain);
  std::vector<int> const values(128, 1);
  EXPECT_EQ(module.function<int(int const*)>("run_shuffle_reduce")(values.data()), 128);
  sim::launch_report const& launch = plain.result().launches.back();
  EXPECT_EQ(launch.name, "shuffle_reduce");
  ASSERT_TRUE(launch.buffers.contains("shared:totals"));
  EXPECT_EQ(launch.buffers.at("shared:totals").loads, 4U);
  EXPECT_EQ(launch.buffers.at("in").loads, 128U);
  unsigned const line =
      sim_test::line_that_ends_in("totals[t / 32] = sum;", UPSWEEP_SOURCES "/counted.cu");
  auto const found = std::ranges::find_if(
      launch.lines, [&](sim::line_counts const& l) { return l.line.line == line; });
  ASSERT_NE(found, launch.lines.end());
  EXPECT_TRUE(found->line.file.ends_with("counted.cu"));
  EXPECT_EQ(found->counts.shared_stores, 4U);
}

}  // namespace
