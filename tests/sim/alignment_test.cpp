/// Which lanes step together in random kernels with nested branches, loops of different length,
/// break, continue and return: the expected steps are those of an interpreter in random_kernels.py.
#include <upsweep/sim/machine.hpp>
#include <upsweep/simt/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::sim_test {
namespace {

/// An access that the lanes of `mask` execute together.
struct expected_step {
  unsigned warp, line, mask;

  friend auto operator<=>(expected_step const&, expected_step const&) = default;
};

struct random_kernel {
  unsigned seed;
  bool is_open;  ///< the lockstep order is not unique in some loop: see the script
  void (*kernel)(unsigned*);
  std::vector<expected_step> steps;  ///< ascending
};

#include <random_kernels.inl>  // random_kernels()

std::vector<expected_step> steps_of(random_kernel const& k, sim::options how) {
  how.trace = true;
  how.check = false;
  sim::machine machine{how};
  auto const out = machine.allocate<unsigned>(64, "out");
  machine.launch({.name = "random", .threads = {64}}, k.kernel, out);
  auto const& traced = machine.result().trace.launches[0];
  std::vector<expected_step> steps;
  for (auto const& s : traced.steps) steps.push_back({s.warp, traced.sites[s.site].line, s.mask});
  std::ranges::sort(steps);
  return steps;
}

std::string text(std::vector<expected_step> const& steps) {
  std::string all;
  for (auto const& s : steps)
    all += "  warp " + std::to_string(s.warp) + " line " + std::to_string(s.line) + " lanes " +
           std::to_string(s.mask) + "\n";
  return all;
}

TEST(alignment, random_kernels_take_the_steps_of_lockstep) {
  std::size_t agreeing = 0;
  for (auto const& k : random_kernels()) {
    auto const steps = steps_of(k, {});
    agreeing += steps == k.steps;
    EXPECT_TRUE(k.is_open || steps == k.steps) << "kernel " << k.seed << "\nexpected\n"
                                               << text(k.steps) << "got\n"
                                               << text(steps);
  }
  EXPECT_GE(20 * agreeing, 19 * random_kernels().size())
      << "of kernels whose lockstep order is not unique, few may differ";
}

TEST(alignment, the_schedule_does_not_change_the_steps) {
  for (auto const& k : random_kernels()) {
    if (k.seed % 10 != 0) continue;
    EXPECT_EQ(text(steps_of(k, {})),
              text(steps_of(k, {.how = sim::schedule::random, .seed = k.seed})));
  }
}

}  // namespace
}  // namespace upsweep::sim_test
