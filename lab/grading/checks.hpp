/// What a solution is asked to do: checks, each worth points, each a few runs of the plan.
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
      false;  ///< no run: look for a counter-example to the laws of the kernel's own operator

  /// As the harness reads it.
  [[nodiscard]] std::string line() const;
};

struct check {
  std::string title;
  int points = 0;
  std::vector<run_request> runs;
  budget const* limit = nullptr;  ///< of the only run
};

/// All checks of an exercise, in the order in which they teach. `seed` makes the elements, the
/// random sizes and the random schedules. The exercise has to outlive them.
[[nodiscard]] std::vector<check> checks_of(exercise const& e, std::uint64_t seed);

/// The sizes that a student is not told: around a warp and a tile, several tiles, and a few of
/// `seed`.
[[nodiscard]] std::vector<std::uint64_t> hidden_sizes(exercise const& e, std::uint64_t seed);

}  // namespace upsweep::lab::grading
