/// How much work the tests do in this build: sanitizers and unoptimized builds get smaller sizes,
/// but the same kinds of checks.
#pragma once

#include <cstddef>
#include <cstdlib>

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

}  // namespace upsweep::test
