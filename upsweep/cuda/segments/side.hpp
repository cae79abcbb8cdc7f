/// The borders of parts of the input, tiles or ranges of warps: where they are, and how far they
/// move to the right.
#pragma once

#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// Moves each first[i] to the first k in [first[i], last[i]) without pass(i, k), or to last[i]; if
/// pass(i, k) then also for all smaller k. The whole warp takes part: each step leaves a 32nd of
/// what may be the first, of all searches at once.
template <unsigned searches, class Pass>
__device__ void find_first_without(std::size_t (&first)[searches], std::size_t (&last)[searches],
                                   unsigned lane, Pass const& pass) {
  for (;;) {
    bool is_found = true;
    std::size_t step[searches];
    bool passes[searches];
#pragma unroll
    for (unsigned i = 0; i < searches; ++i) {
      is_found = is_found && first[i] >= last[i];
      step[i] = (last[i] - first[i] + 31) / 32;
      std::size_t const probe = first[i] + (lane + 1) * step[i] - 1;
      passes[i] = first[i] < last[i] && probe < last[i] && pass(i, probe);
    }
    if (is_found) return;
#pragma unroll
    for (unsigned i = 0; i < searches; ++i) {
      unsigned const open = ~__ballot_sync(whole_warp, passes[i]),
                     passed =
                         open == 0 ? 32 : static_cast<unsigned>(__ffs(static_cast<int>(open))) - 1;
      if (first[i] >= last[i]) continue;
      first[i] += passed * step[i];
      if (passed < 32 && first[i] + step[i] - 1 < last[i]) last[i] = first[i] + step[i] - 1;
    }
  }
}

/// One border of a part. Before it there are `segment` ends of segments and `position`
/// elements; [begin, end) is the segment that is open there, empty if there is none. `border` is
/// where the part's own elements begin or end: the first end of a chunk of that segment from
/// `position` on, or the segment's end.
struct tile_side {
  std::size_t segment, position, begin, end, border;
};

/// The borders before which there are work[0], ... elements and ends of segments, found by the
/// whole warp. An end comes after the elements of its segment, so the number of ends is that of
/// segments k with borders(k + 1) + k < work.
template <unsigned chunk, class Borders, unsigned sides>
__device__ void find_sides(Borders const& borders, std::size_t n, std::size_t count,
                           std::size_t const (&work)[sides], tile_side (&found)[sides],
                           unsigned lane) {
  std::size_t first[sides], last[sides], begin[sides], end[sides];
#pragma unroll
  for (unsigned i = 0; i < sides; ++i) {
    first[i] = work[i] > n ? work[i] - n : 0;
    last[i] = work[i] < count ? work[i] : count;
  }
  find_first_without(first, last, lane,
                     [&](unsigned i, std::size_t k) { return borders(k + 1, n) + k < work[i]; });
#pragma unroll
  for (unsigned i = 0; i < sides; ++i) {
    begin[i] = borders(first[i], n);
    end[i] = borders(first[i] < count ? first[i] + 1 : first[i], n);
  }
#pragma unroll
  for (unsigned i = 0; i < sides; ++i) {
    std::size_t const at = work[i] - first[i];
    tile_side& side = found[i];
    side = {first[i], at, at, at, at};
    if (first[i] == count) continue;
    if (begin[i] < at) side.begin = begin[i];
    if (end[i] > at) side.end = end[i];
    std::size_t const chunks = (at - side.begin + chunk - 1) / chunk,
                      next = side.begin + chunks * chunk;
    side.border = next < side.end ? next : side.end;
  }
}

/// The two borders of tile t, by the first two warps of the block.
template <class Shape, class Borders>
__device__ void find_tile(Borders const& borders, std::size_t n, std::size_t count, std::size_t t,
                          tile_side (&sides)[2], unsigned warp, unsigned lane) {
  if (warp >= 2) return;
  std::size_t const at = (t + warp) * Shape::size, work = n + count;
  tile_side found[1];
  find_sides<Shape::chunk>(borders, n, count, {at < work ? at : work}, found, lane);
  if (lane == 0) sides[warp] = found[0];
}

/// A block of as many elements as its kind has, item or chunk or more, counted from the begin of
/// its segment: it begins at `at`, in segment j.
template <class Number>
struct positioned_block {
  Number at, j;
  bool exists;
};

/// The whole block of `size` elements that begins in the window [first, first + size): it is of the
/// segment that has element `first`, or of the last one that begins in the window, since of two
/// blocks of one segment or of two the second begins after the first has ended. `segments` has
/// begin(j), end(j) and segment_of(place), the last segment that begins there or before.
template <class Number, class Segments>
__device__ positioned_block<Number> block_in(Segments const& segments, Number first, Number size) {
  Number j = segments.segment_of(first);
  Number at = segments.begin(j) + (first - segments.begin(j) + size - 1) / size * size;
  if (at + size <= segments.end(j)) return {at, j, true};
  j = segments.segment_of(first + size - 1);
  at = segments.begin(j);
  return {at, j, at > first && at + size <= segments.end(j)};
}

}  // namespace upsweep::device
