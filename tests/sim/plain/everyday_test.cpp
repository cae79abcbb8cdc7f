/// Everyday CUDA C++ runs unchanged, on every schedule, without a finding.
#include "modules.hpp"

namespace {

/// Calls a function of the module on every schedule.
template <class... Arguments>
void expect_right(char const* function, Arguments... arguments) {
  upsweep::sim::module const module(UPSWEEP_MODULE_everyday);
  auto* const test = module.function<bool(Arguments...)>(function);
  ASSERT_NE(test, nullptr) << function;
  for (auto const& [how, seed] : upsweep::sim_test::turns) {
    upsweep::sim::machine m({.how = how, .seed = seed});
    upsweep::sim::runtime const runtime(m);
    EXPECT_TRUE(test(arguments...)) << function << ", seed " << seed;
    for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
  }
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

}  // namespace
