/// The results of a whole input as one object of JSON.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/options.hpp>

#include <cstdint>
#include <string>

namespace upsweep::cli {

/// What the object says beside the results.
struct results_source {
  std::string mode, input;
  io::container format;
  std::uint64_t rows, skipped;
  bool says_missing;  ///< how many values were missing, beside each result
};

/// Writes the results of `from`, which has finished once.
void write_results_object(output_flags const& flags, results_source const& of,
                          aggregation const& from);

}  // namespace upsweep::cli
