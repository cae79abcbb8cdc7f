/// The checks of a solution: each is worth points and consists of a few processes.
#pragma once

#include <lab/grading/exercise.hpp>
#include <upsweep/sim/options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::lab::grading {

/// One process: runs of a case at some sizes, under one schedule.
struct process_request {
  std::string which;  ///< the case
  std::vector<std::uint64_t> sizes;
  std::uint64_t seed = 0;  ///< of the input
  sim::schedule how = sim::schedule::in_order;
  std::uint64_t schedule_seed = 0;
  unsigned resident = 16;
  bool count = false;
};

struct check {
  std::string title;
  int points = 0;
  std::vector<process_request> processes;
  budget const* limit = nullptr;  ///< of the only run
};

/// All checks of an exercise, in teaching order. `seed` determines the input, the random sizes and
/// the random schedules. The exercise must outlive them.
[[nodiscard]] std::vector<check> checks_of(exercise const& e, std::uint64_t seed);

/// The sizes that are hidden from students: around a warp and a tile, several tiles, and a few
/// drawn from `seed`.
[[nodiscard]] std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed);

}  // namespace upsweep::lab::grading
