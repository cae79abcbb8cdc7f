/// The borders of tiles of segments: where they are, and how far they move to the right.
#pragma once

#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// The first k in [first, last) without pass(k), or `last`, found by the whole warp; if pass(k)
/// then also for all smaller k. Each step takes a 32nd of what may be the first.
template <class Pass>
__device__ std::size_t first_without(std::size_t first, std::size_t last, unsigned lane,
                                     Pass const& pass) {
  while (first < last) {
    std::size_t const step = (last - first + 31) / 32, probe = first + (lane + 1) * step - 1;
    unsigned const open = ~__ballot_sync(whole_warp, probe < last && pass(probe));
    unsigned const passed =
        open == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(open))) - 1;
    first += passed * step;
    if (passed < 32 && first + step - 1 < last) last = first + step - 1;
  }
  return first;
}

/// One border of a tile. In front of it there are `segment` ends of segments and `position`
/// elements; [begin, end) is the segment that is open there, empty if there is none. `border` is
/// where the tile's own elements begin or end: the first end of a chunk of that segment from
/// `position` on, or the segment's end.
struct tile_side {
  std::size_t segment, position, begin, end, border;
};

/// The border in front of which there are `work` elements and ends of segments, found by the whole
/// warp. An end comes after the elements of its segment, so the number of ends is that of segments
/// k with borders(k + 1) + k < work.
template <unsigned chunk, class Borders>
__device__ tile_side side_at(Borders const& borders, std::size_t n, std::size_t count,
                             std::size_t work, unsigned lane) {
  std::size_t const first =
      first_without(work > n ? work - n : 0, work < count ? work : count, lane,
                    [&](std::size_t k) { return borders(k + 1, n) + k < work; });
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

/// The two borders of tile t, by the first two warps of the block.
template <class Shape, class Borders>
__device__ void find_sides(Borders const& borders, std::size_t n, std::size_t count, std::size_t t,
                           tile_side (&sides)[2], unsigned warp, unsigned lane) {
  if (warp >= 2) return;
  std::size_t const at = (t + warp) * Shape::size, work = n + count;
  tile_side const side = side_at<Shape::chunk>(borders, n, count, at < work ? at : work, lane);
  if (lane == 0) sides[warp] = side;
}

/// A block of as many elements as its kind has, item or chunk or more, counted from the begin of
/// its segment: it begins at `at`, in segment j.
template <class Number>
struct placed_block {
  Number at, j;
  bool exists;
};

/// The whole block of `size` elements that begins in the window [first, first + size): it is of the
/// segment that has element `first`, or of the last one that begins in the window, since of two
/// blocks of one segment or of two the second begins after the first has ended. `segments` has
/// begin(j), end(j) and segment_of(place), the last segment that begins there or before.
template <class Number, class Segments>
__device__ placed_block<Number> block_in(Segments const& segments, Number first, Number size) {
  Number j = segments.segment_of(first);
  Number at = segments.begin(j) + (first - segments.begin(j) + size - 1) / size * size;
  if (at + size <= segments.end(j)) return {at, j, true};
  j = segments.segment_of(first + size - 1);
  at = segments.begin(j);
  return {at, j, at > first && at + size <= segments.end(j)};
}

}  // namespace upsweep::device
