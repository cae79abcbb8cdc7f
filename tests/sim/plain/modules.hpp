/// What the tests of modules share: schedules, findings, the lines of a source file, and calls of
/// the host that a GPU refuses.
#pragma once

#include <upsweep/simt/cuda/abi.h>
#include <upsweep/sim/modules/module.hpp>
#include <upsweep/sim/modules/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

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

/// Calls f(machine), on which kernels of modules run, once for each schedule.
template <class F>
void on_every_schedule(std::string const& what, F const& f) {
  for (auto const& [how, seed] : turns) {
    SCOPED_TRACE(what + ", schedule " + std::to_string(static_cast<int>(how)) + ", seed " +
                 std::to_string(seed));
    sim::machine m({.how = how, .seed = seed});
    sim::runtime const runtime(m);
    f(m);
  }
}

inline void expect_no_finding(sim::machine const& m) {
  for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
}
/// A finding at the line whose sentence has all parts.
inline void expect_finding_at(unsigned line, sim::finding_kind kind,
                              std::vector<std::string> const& parts, sim::machine const& m) {
  bool found = false;
  std::string all;
  for (auto const& f : m.result().findings) {
    all += std::string(name_of(f.kind)) + ": " + f.sentence + "\n";
    bool is_it = f.kind == kind && (f.first.line == line || f.second.line == line);
    for (auto const& part : parts) is_it = is_it && f.sentence.find(part) != std::string::npos;
    found = found || is_it;
  }
  EXPECT_TRUE(found) << "line " << line << ":\n" << all;
}

inline constexpr int accepted = 0, invalid_value = 1, out_of_memory = 2, invalid_configuration = 9,
                     cooperative_too_large = 720, not_supported = 801, invalid_cluster = 912;

/// What a call of the host returns on a new machine, and the findings that it leaves.
struct answer {
  int error = 0;
  std::string sentences;
};

inline answer answer_of(std::function<int()> const& call, int capability = 90) {
  sim::machine m({.capability = capability});
  sim::runtime const runtime(m);
  answer a{call(), {}};
  EXPECT_EQ(upsweep_emulated_last_error(0), a.error);
  EXPECT_EQ(upsweep_emulated_last_error(1), a.error);
  EXPECT_EQ(upsweep_emulated_last_error(0), accepted);
  for (auto const& f : m.result().findings) {
    EXPECT_EQ(f.kind, sim::finding_kind::refused_call);
    a.sentences += f.sentence;
  }
  return a;
}

}  // namespace upsweep::sim_test
