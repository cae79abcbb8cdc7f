/// How much work the tests do in this build: sanitizers and unoptimized builds get smaller sizes,
/// but the same kinds of checks. Sizes at the edges of vectors, tiles and powers of two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace upsweep::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_tsan = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = false;
#endif
#else
inline constexpr bool under_tsan = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = false;
#endif
#else
inline constexpr bool under_asan = false;
#endif

#if defined(UPSWEEP_SLOW_IF)  // the suites on a GPU: the environment variable says that a tool
                              // slows the kernels down
inline bool const slow_build = std::getenv(UPSWEEP_SLOW_IF) != nullptr;
#elif defined(__OPTIMIZE__)
inline constexpr bool slow_build = under_tsan || under_asan;
#else
inline constexpr bool slow_build = true;
#endif

/// Every size up to this one is tried.
inline std::size_t const last_of_every_size = slow_build ? 260 : 2100;
/// 2^k - 1, 2^k and 2^k + 1 are tried up to this k: beyond every cut-off and over many tiles.
inline int const last_power = slow_build ? 18 : 22;
/// A size that uses all threads and ends inside a tile.
inline std::size_t const many = (std::size_t{1} << (slow_build ? 16 : 20)) + 7;

/// The size table: nothing, one, around a vector, around a tile, around powers of two, a prime.
inline std::vector<std::size_t> edge_sizes(std::size_t tile = 4096, std::size_t largest = many) {
  std::vector<std::size_t> n{0,  1,  2,  3,  5,   7,   8,   9,   15,  16,   17,   31,  32,
                             33, 63, 64, 65, 127, 128, 129, 255, 257, 1009, 1023, 1025};
  for (std::size_t const k : {std::size_t{1}, std::size_t{2}, std::size_t{4}, std::size_t{7}})
    for (std::size_t const m : {k * tile - 1, k * tile, k * tile + 1}) n.push_back(m);
  n.push_back(std::min(largest, many));
  std::sort(n.begin(), n.end());
  n.erase(std::unique(n.begin(), n.end()), n.end());
  return n;
}

/// 2^k - 1, 2^k, 2^k + 1 for k = first ... last.
inline std::vector<std::size_t> around_powers(int first, int last = last_power) {
  std::vector<std::size_t> n;
  for (int k = first; k <= last; ++k)
    for (std::size_t const m :
         {(std::size_t{1} << k) - 1, std::size_t{1} << k, (std::size_t{1} << k) + 1})
      n.push_back(m);
  return n;
}

}  // namespace upsweep::test
