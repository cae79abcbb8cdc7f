/// An independent model of the cost of memory requests: by sets, one lane at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

namespace upsweep::sim_test {

/// Bytes of an element that one instruction moves: a power of two, at most 16 and at most the
/// alignment.
inline std::size_t piece_of(std::size_t size, std::size_t alignment) {
  std::size_t piece = 16;
  while (piece > alignment || size % piece != 0) piece /= 2;
  return piece;
}

struct request_cost {
  std::size_t requests = 0, wavefronts = 0, sectors = 0, lines = 0;
};

/// The cost of a request in which lane i accesses the element at byte `start[i]`.
inline request_cost model_cost(std::vector<std::size_t> const& start, std::size_t size,
                               std::size_t alignment) {
  std::size_t const piece = piece_of(size, alignment);
  std::size_t const lanes_at_once = 32 * 4 / std::max<std::size_t>(piece, 4);
  request_cost cost;
  for (std::size_t p = 0; p < size; p += piece) {
    ++cost.requests;
    std::set<std::size_t> sectors, lines;
    for (std::size_t first = 0; first < start.size(); first += lanes_at_once) {
      std::map<std::size_t, std::set<std::size_t>> rows_of_bank;
      for (std::size_t lane = first; lane < std::min(start.size(), first + lanes_at_once); ++lane)
        for (std::size_t byte = start[lane] + p; byte < start[lane] + p + piece; ++byte) {
          rows_of_bank[byte / 4 % 32].insert(byte / 128);
          sectors.insert(byte / 32);
          lines.insert(byte / 128);
        }
      std::size_t passes = 0;
      for (auto const& [bank, rows] : rows_of_bank) passes = std::max(passes, rows.size());
      cost.wavefronts += passes;
    }
    cost.sectors += sectors.size();
    cost.lines += lines.size();
  }
  return cost;
}

}  // namespace upsweep::sim_test
