/// What the library is going to do with a reduction or scan on the processor: the choices of
/// upsweep/cpu, asked and not made again.
#pragma once

#include <bench/harness/work.hpp>

#include <string>

namespace upsweep::cli {

struct cpu_plan {
  std::string
      engine;  ///< "vector": compiled kernels; "fold": an operator that is exact; "tree": any other
  int threads = 1;       ///< that share the tiles
  std::size_t tile = 0;  ///< elements, at most
  bool streams = false;  ///< results are stored past the caches
};

/// The plan of `w` on n >= 1 elements of aligned memory, with up to `threads` threads.
[[nodiscard]] cpu_plan plan_on_cpu(bench::work const& w, std::size_t n, int threads);

}  // namespace upsweep::cli
