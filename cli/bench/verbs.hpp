/// `upsweep bench verbs`: the verbs that are built on scan.
#pragma once

#include <bench/rows/verb_rows.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::cli {

/// The options of it, as given.
struct verbs_choice {
  std::vector<std::string> verb{}, type{}, peers{};
  std::vector<std::size_t> sizes{};
  std::string json{};
  double seconds = 0;  ///< 0: a third of a second for each cell
  int threads = 0;     ///< 0: all
  bool force = false;
};

/// Those of the rows that it chooses. Throws usage_error if there is none.
[[nodiscard]] std::vector<bench::verb_row> chosen_rows(std::vector<bench::verb_row> rows,
                                                       verbs_choice const& o);

/// Prints a line for each row and size. Returns 1 if a result of Upsweep was wrong; throws
/// usage_error if no row is chosen, and unavailable_error for a peer that is not here.
int bench_verbs(verbs_choice const& o);

}  // namespace upsweep::cli
