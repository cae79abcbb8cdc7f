/// How many elements a test may take on a GPU.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace upsweep::test {

/// UPSWEEP_GPU_MOST: no test takes more elements, so that compute-sanitizer ends in minutes.
[[nodiscard]] inline std::size_t most_elements() {
  char const* const given = std::getenv("UPSWEEP_GPU_MOST");
  return given ? std::strtoull(given, nullptr, 0) : ~std::size_t{0};
}

[[nodiscard]] inline std::vector<std::size_t> at_most_given(std::vector<std::size_t> const& sizes) {
  std::vector<std::size_t> kept;
  for (std::size_t n : sizes)
    if (n <= most_elements()) kept.push_back(n);
  return kept;
}

}  // namespace upsweep::test
