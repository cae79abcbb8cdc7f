/// Sizes at the edges of vectors, tiles and powers of two, where mistakes show.
#pragma once

#include <support/build_kind.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace upsweep::test {

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
