/// How many elements and random cases a test may take on a GPU.
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

[[nodiscard]] inline bool is_limited() {
  return most_elements() != ~std::size_t{0};
}

[[nodiscard]] inline std::vector<std::size_t> at_most_given(std::vector<std::size_t> const& sizes) {
  std::vector<std::size_t> kept;
  for (std::size_t n : sizes)
    if (n <= most_elements()) kept.push_back(n);
  return kept;
}

[[nodiscard]] inline std::size_t limited(std::size_t size) {
  return size < most_elements() ? size : most_elements();
}

/// How many random cases a test takes: `usual`, UPSWEEP_GPU_CASES, or a tenth under
/// UPSWEEP_GPU_MOST.
[[nodiscard]] inline std::size_t random_cases(std::size_t usual) {
  if (char const* const given = std::getenv("UPSWEEP_GPU_CASES"))
    return std::strtoull(given, nullptr, 0);
  return is_limited() ? usual / 10 : usual;
}

/// How often a graph is replayed: `usual`, or five times under UPSWEEP_GPU_MOST.
[[nodiscard]] inline int replays(int usual) {
  return is_limited() ? 5 : usual;
}

}  // namespace upsweep::test
