/// Which rows `upsweep bench` measures: from the options to works and sizes.
#pragma once

#include <bench/rows/tables.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli {

/// The options that choose rows, as given.
struct bench_choice {
  std::string what = "both";
  std::vector<std::string> op{}, type{};
  std::string sizes{};
  bool quick = false, in_place = false;

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

}  // namespace upsweep::cli
