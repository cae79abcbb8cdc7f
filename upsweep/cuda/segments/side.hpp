/// The borders of tiles of segments: where they are, and how far they move to the right.
#pragma once

#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// One border of a tile. In front of it there are `segment` ends of segments and `position`
/// elements; [begin, end) is the segment that is open there, empty if there is none. `border` is
/// where the tile's own elements begin or end: the first end of a chunk of that segment from
/// `position` on, or the segment's end.
struct tile_side {
  std::size_t segment, position, begin, end, border;
};

/// The border in front of which there are `work` elements and ends of segments, found by the whole
/// warp. An end comes after the elements of its segment, so the number of ends is that of segments
/// k with borders(k + 1) + k < work. Each step takes a 32nd of those that may be the first without.
template <unsigned chunk, class Borders>
__device__ tile_side side_at(Borders const& borders, std::size_t n, std::size_t count,
                             std::size_t work, unsigned lane) {
  std::size_t first = work > n ? work - n : 0, last = work < count ? work : count;
  while (first < last) {
    std::size_t const step = (last - first + 31) / 32, probe = first + (lane + 1) * step - 1;
    bool const ended = probe < last && borders(probe + 1, n) + probe < work;
    unsigned const open = ~__ballot_sync(whole_warp, ended);
    unsigned const passed =
        open == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(open))) - 1;
    first += passed * step;
    if (passed < 32 && first + step - 1 < last) last = first + step - 1;
  }
  tile_side side{first, work - first, work - first, work - first, work - first};
  if (first == count) return side;
  std::size_t const begin = borders(first, n), end = borders(first + 1, n);
  if (begin < side.position) side.begin = begin;
  if (end > side.position) side.end = end;
  std::size_t const chunks = (side.position - side.begin + chunk - 1) / chunk,
                    next = side.begin + chunks * chunk;
  side.border = next < side.end ? next : side.end;
  return side;
}

}  // namespace upsweep::device
