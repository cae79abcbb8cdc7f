/// Pseudo-random elements.
#pragma once

#include <cstdint>

namespace upsweep::bench {

/// SplitMix64 (Steele, Lea & Flood 2014): a random word from a counter.
[[nodiscard]] constexpr std::uint64_t random_word(std::uint64_t i) {
  i += 0x9e3779b97f4a7c15u;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

}  // namespace upsweep::bench
