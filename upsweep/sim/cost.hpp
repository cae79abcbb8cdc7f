/// What one memory request of a warp costs: wavefronts of shared memory, sectors and lines of
/// global memory.
#pragma once

#include <cstdint>
#include <span>

namespace upsweep::sim {

/// The bytes that each active lane accesses start at `first[i]`; lane `lane[i]`, ascending.
struct warp_request {
  std::uint64_t const* first;
  std::uint8_t const* lane;
  unsigned count;
  unsigned bytes;  ///< of one lane: 1, 2, 4, 8 or 16
};

struct shared_cost {
  unsigned wavefronts;
  unsigned conflicts;  ///< wavefronts beyond one for each group of lanes that is served at once
};

/// 32 banks of 4 bytes. Accesses of 8 bytes are served by half-warp, of 16 bytes by quarter-warp;
/// lanes that want the same word share it.
[[nodiscard]] shared_cost shared_request(warp_request const& r);

/// How many different aligned units of 2^shift bytes the request touches.
[[nodiscard]] unsigned units_touched(warp_request const& r, unsigned shift);

}  // namespace upsweep::sim
