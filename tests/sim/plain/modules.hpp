/// What the tests of modules share: schedules, and the lines of a source file.
#pragma once

#include <upsweep/sim/modules/module.hpp>
#include <upsweep/sim/modules/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace upsweep::sim_test {

struct turn {
  sim::schedule how;
  std::uint64_t seed;
};
inline constexpr turn turns[]{{sim::schedule::in_order, 0},    {sim::schedule::round_robin, 0},
                              {sim::schedule::random, 1},      {sim::schedule::random, 2},
                              {sim::schedule::adversarial, 0}, {sim::schedule::adversarial, 1},
                              {sim::schedule::adversarial, 2}, {sim::schedule::adversarial, 3}};

/// The number of the line of `file` that ends in `text`; 0 if there is none.
inline unsigned line_that_ends_in(std::string const& text, char const* file) {
  std::ifstream in(file);
  std::string line;
  for (unsigned number = 1; std::getline(in, line); ++number)
    if (line.ends_with(text)) return number;
  return 0;
}

}  // namespace upsweep::sim_test
