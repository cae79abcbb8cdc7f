/// The results that the program around a kernel has written about its runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lab::grading {

/// A line of a source file; none if its number is 0.
struct place {
  std::string file;
  unsigned line = 0;
};

struct finding {
  std::string kind, sentence;
  place first, second;
};

struct run_result {
  std::vector<std::byte> values;
  bool has_values = false;
  std::string failure_kind,
      failure;            ///< why the kernel did not complete, in the emulator's words
  std::string exception;  ///< the exception of the host plan
  std::vector<finding> findings;
  std::vector<std::string> broken_laws;  ///< of the kernel's own operator
  std::map<std::string, std::uint64_t> counters;
};

/// The runs in the order of the jobs. If the program ended prematurely, that run and those after it
/// are missing.
[[nodiscard]] std::vector<run_result> parse_results(std::string_view text);

/// The names of the counters that a budget can limit.
[[nodiscard]] std::vector<std::string> const& counter_names();

}  // namespace upsweep::lab::grading
