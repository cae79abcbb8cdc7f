/// Which rows `upsweep bench` measures, from the options to works and sizes; those of `upsweep
/// bench verbs`, and the plans of both.
#pragma once

#include <bench/rows/tables.hpp>
#include <bench/rows/verb_rows.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::cli {

/// The options, as given.
struct bench_choice {
  std::string what = "both";
  std::vector<std::string> op{}, type{}, verb{};
  std::string sizes{};
  bool quick = false, in_place = false;
  std::vector<std::string> peers{"none"};
  std::string json{}, html{}, on = "cpu", simd{};
  int threads = 0;  ///< 0: all
  bool force = false, explain = false;
  std::optional<double> time{};

  /// True for the list of all operators, or of all types.
  [[nodiscard]] bool has_every() const;
  [[nodiscard]] std::vector<std::size_t> sizes_or(char const* otherwise) const;
};

/// The values of --op and --type, `every` first.
[[nodiscard]] std::vector<std::string> operation_choices();
[[nodiscard]] std::vector<std::string> type_choices();

/// All combinations of verbs, operations and types, whether a machine has them or not. An operation
/// without a given type is over f32, or i32 if it takes integers only.
[[nodiscard]] std::vector<bench::work> works_of(bench_choice const& c);

/// The rows of the CPU. Throws usage_error if no requested combination is measured there.
[[nodiscard]] std::vector<bench::row> rows_on_processor(bench_choice const& c);

/// Those of the rows of verbs that it chooses, for these sizes. Throws usage_error if there is
/// none.
[[nodiscard]] std::vector<bench::verb_row> chosen_rows(std::vector<bench::verb_row> rows,
                                                       bench_choice const& o,
                                                       std::vector<std::size_t> const& sizes);

/// Prints a line for each row of verbs and size. Returns 1 if a result of Upsweep was wrong; throws
/// usage_error if no row is chosen, and unavailable_error for a peer that is not here.
int bench_verbs(bench_choice const& o);

/// Prints the plans for the current GPU, or for a default one if there is none; runs nothing. Also
/// writes the plans to the file `json` unless that is empty.
int explain_gpu_plans(std::vector<bench::configuration> const& all, std::string const& json,
                      bool force);

/// The same for the rows of `bench verbs`, and those that only a GPU has.
int explain_gpu_verbs(bench_choice const& o);

/// Prints the plans of the CPU for these rows, on up to `threads` threads.
int explain_cpu_plans(std::vector<bench::row> const& rows, int threads, std::string const& json,
                      bool force);

}  // namespace upsweep::cli
