/// Calls of the host that a GPU refuses: the error, and the sentence about it.
#pragma once

#include <upsweep/simt/cuda/abi.h>

#include "modules.hpp"

#include <functional>
#include <string>

namespace upsweep::sim_test {

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
