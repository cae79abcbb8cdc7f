/// What one memory request of a warp costs: wavefronts of shared memory, sectors and lines of
/// global memory.
#pragma once

#include <cstdint>
#include <span>

namespace upsweep::sim {

/// Active lane `lane[i]` accesses the bytes from `first[i]` on; lanes are ascending.
struct warp_request {
  std::uint64_t const* first;
  std::uint8_t const* lane;
  unsigned count;
  unsigned bytes;  ///< of one lane: 1, 2, 4, 8 or 16
};

struct shared_cost {
  unsigned wavefronts;
  unsigned conflicts;  ///< wavefronts beyond one for each group of lanes that is served together
};

/// 32 banks of 4 bytes. Accesses of 8 bytes are served per half-warp, of 16 bytes per quarter-warp;
/// lanes that access the same word share one access (broadcast).
[[nodiscard]] shared_cost shared_request(warp_request const& r);

/// The number of distinct aligned units of 2^shift bytes that the request touches.
[[nodiscard]] unsigned units_touched(warp_request const& r, unsigned shift);

}  // namespace upsweep::sim
