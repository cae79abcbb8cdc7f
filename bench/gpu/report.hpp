/// What a run found and where, as JSON.
#pragma once

#include <bench/gpu/measure.hpp>
#include <bench/gpu/plan.hpp>
#include <string>
#include <vector>

namespace upsweep::gpu_bench {

inline constexpr int report_format = 1;

/// The GPU that is current and the software around it.
struct machine {
  std::string gpu, driver, cuda, compiler;
  int capability = 0;  ///< 10 · major + minor
  int processors = 0;
  std::size_t l2_bytes = 0, memory_bytes = 0, free_bytes = 0;
};
[[nodiscard]] machine this_machine();

struct row {
  configuration what;
  series times;
};
struct remark {
  configuration what;
  std::string sentence;
};

struct run {
  machine where;
  std::string date, command;
  double seconds = 0;
  std::vector<row> rows;
  std::vector<remark> wrong;    ///< results that differ from CUB's
  std::vector<remark> skipped;  ///< configurations that were not measured, and why
};

[[nodiscard]] std::string as_json(run const& r);
/// GB/s (10^9 bytes) of input, and for scans output, in `us` microseconds.
[[nodiscard]] double gigabytes_per_second(configuration const& c, double us);
/// Writes the file whole or not at all. Throws std::runtime_error with a sentence.
void write_file(std::string const& path, std::string const& text);

}  // namespace upsweep::gpu_bench
