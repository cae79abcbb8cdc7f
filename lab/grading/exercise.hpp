/// An exercise: a checker, the cases and sizes of its runs, the limits of their costs, and what a
/// solution may not use.
#pragma once

#include <upsweep/sim/report.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::grading {

/// A number of a run of n elements: constant + per_element * n, rounded down.
struct linear {
  double constant = 0, per_element = 0;

  [[nodiscard]] std::uint64_t at(std::uint64_t n) const {
    return static_cast<std::uint64_t>(constant + per_element * static_cast<double>(n));
  }
};

/// The least work of any right solution. With less, the results were not computed from the input.
struct floor_of_costs {
  std::string counter, why;
  linear at_least;
};

/// The limit of a counter in one in-order run.
struct budget {
  std::string title, counter;
  std::string which;  ///< the case; the first if exercise.json names none
  std::uint64_t n = 0;
  linear at_most;
  linear at_least{};
  int points = 2;
};

struct forbidden_word {
  std::string word, why;  ///< a word that ends in * forbids all that begin so
};

/// What the exercise is about: a solution has to use one of these words.
struct needed_words {
  std::vector<std::string> words;
  std::string why;
};

struct exercise {
  std::string name;     ///< "02-missing-barrier"
  std::string title;    ///< a sentence
  std::string checker;  ///< the text of check.cu
  std::vector<std::string> cases;
  std::vector<std::uint64_t> sizes;         ///< the sizes that the student knows
  std::vector<std::uint64_t> more_sizes;    ///< hidden ones, besides those around a tile
  std::uint64_t tile = 128;                 ///< elements of a block: sizes around it are tested
  std::uint64_t smallest = 0, largest = 0;  ///< of the hidden sizes; largest 0: no limit
  std::vector<budget> budgets;
  std::vector<floor_of_costs> floors;
  std::vector<forbidden_word> not_allowed;
  std::vector<needed_words> needed;
  int points_sizes = 1, points_hidden = 2, points_schedules = 3;
};

/// Reads an exercise.json; throws a data_error, in which `where` names the file.
[[nodiscard]] exercise parse_exercise(std::string_view text, std::string const& where);

/// The exercises embedded in the tool, sorted by name. Their rules and checkers take precedence
/// over those beside a kernel.
[[nodiscard]] std::span<exercise const> known_exercises();
[[nodiscard]] exercise const* find_exercise(std::string_view name);

/// An exercise's rules and checker, embedded in the tool: a student cannot change them.
struct embedded_exercise {
  std::string_view name;     ///< "exercises/02-missing-barrier/exercise.json"
  std::string_view rules;    ///< the text of exercise.json
  std::string_view checker;  ///< of check.cu
};

[[nodiscard]] std::span<embedded_exercise const> embedded_exercises();

/// The counters that a budget can limit, by name.
[[nodiscard]] std::vector<std::string> const& counter_names();
/// What a counter counts, as a sentence.
[[nodiscard]] std::string about_counter(std::string const& name);
/// Of all launches of a run, one after the other. `name` is one of counter_names().
[[nodiscard]] std::uint64_t counted(std::string const& name,
                                    std::span<sim::launch_report const> launches);

}  // namespace upsweep::lab::grading
