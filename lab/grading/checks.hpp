/// The checks of a solution: each is worth points and consists of a few runs of the plan.
#pragma once

#include <lab/grading/exercise.hpp>

#include <string>
#include <vector>

namespace upsweep::lab::grading {

struct run_request {
  typed_operator what;
  std::uint64_t n = 0, seed = 0;
  std::string schedule = "in-order";
  std::uint64_t schedule_seed = 0;
  unsigned resident = 16;
  bool count = false;
  bool laws =
      false;  ///< not a run: a search for a counterexample to the laws of the kernel's own operator

  /// The line that the harness reads.
  [[nodiscard]] std::string line() const;
};

struct check {
  std::string title;
  int points = 0;
  std::vector<run_request> runs;
  budget const* limit = nullptr;  ///< of the only run
};

/// All checks of an exercise, in teaching order. `seed` determines the elements, the random sizes
/// and the random schedules. The exercise must outlive them.
[[nodiscard]] std::vector<check> checks_of(exercise const& e, std::uint64_t seed);

/// The sizes that are hidden from students: around a warp and a tile, several tiles, and a few
/// drawn from `seed`.
[[nodiscard]] std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed);

}  // namespace upsweep::lab::grading
