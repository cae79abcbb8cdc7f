/// The second launch of reductions of segments: those that cross borders of parts.
#pragma once

#include <upsweep/cuda/segments/call.hpp>

#include <bit>
#include <cstddef>

namespace upsweep::device {

/// The total of the 2^k <= 1024 values from place `at` on, in every lane.
template <class A, class Op>
__device__ A warp_total(tile_totals<A> const& values, std::size_t at, unsigned k, unsigned lane,
                        Op const& op) {
  unsigned const in_row = k < 5 ? k : 5;
  A mine{};
  for (unsigned row = 0; row < 1U << (k - in_row); ++row) {
    A total = stored_at(values, at + row * 32 + lane % (1U << in_row));
    for (unsigned level = 0; level < in_row; ++level) (void)butterfly_step(level, total, op);
    A const whole = simt::shuffle(whole_warp, total, (1 << in_row) - 1);
    if (row == 0 || row == lane) mine = whole;
  }
  for (unsigned level = 0; level < k - in_row; ++level) (void)butterfly_step(level, mine, op);
  return simt::shuffle(whole_warp, mine, (1 << (k - in_row)) - 1);
}

/// The same of 2^k > 1024 values by the whole block, whose warps take consecutive parts. Lane l has
/// the total of 2^l groups of 1024 values until that of the next as many is known.
template <unsigned warps, class A, class Op>
__device__ A block_total(tile_totals<A> const& values, std::size_t at, unsigned k,
                         boxed<A> (&parts)[warps], unsigned warp, unsigned lane, Op const& op) {
  constexpr unsigned warps_log2 = static_cast<unsigned>(std::bit_width(warps)) - 1;
  unsigned const split = k - 10 < warps_log2 ? k - 10 : warps_log2;
  std::size_t const groups = std::size_t{1} << (k - 10 - split);
  if (warp < 1U << split) {
    A total{}, mine{};
    for (std::size_t g = 0; g < groups; ++g) {
      total = warp_total(values, at + (warp * groups + g) * 1024, 10, lane, op);
      unsigned level = 0;
      for (; (g >> level & 1) != 0; ++level)
        total = op(simt::shuffle(whole_warp, mine, static_cast<int>(level)), total);
      if (g == 0 || lane == level) mine = total;
    }
    if (lane == 0) parts[warp] = total;
  }
  __syncthreads();  // the parts are complete
  A total = parts[lane % (1U << split)];
  for (unsigned level = 0; level < split; ++level) (void)butterfly_step(level, total, op);
  total = simt::shuffle(whole_warp, total, (1 << split) - 1);
  __syncthreads();  // the parts have been read
  return total;
}

/// A segment that crosses borders of parts: its number plus 1 (0: none), where the totals of its
/// whole chunks are, and how many, and the number of elements behind them.
struct crossing_segment {
  std::size_t number = 0, place = 0, chunks = 0;
  unsigned rest = 0;
};

/// The results of segments that cross borders of ranges. A warp takes the one that ends in its
/// range, the whole block one that is very long.
template <unsigned warps, class Shape, class Borders, class Results, class A>
__global__ void __launch_bounds__(32 * warps, 2)
    finish_segments(segment_call call, Borders borders, Results results,
                    segment_scratch<Shape, A> scratch) {
  using operation = std::remove_cvref_t<decltype(results.op)>;
  __shared__ boxed<A> parts[warps];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  auto const& op = results.op;
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), work = n + call.count.size(),
                    first = std::size_t{blockIdx.x} * warps;
  crossing_segment mine;
  if (lane < warps && (first + lane) * scratch.size < work)
    mine.number = stored_at(scratch.ended(), first + lane);
  if (mine.number > 0) {
    std::size_t const begin = borders(mine.number - 1, n), end = borders(mine.number, n),
                      size = end > begin ? end - begin : 0;
    mine.place = begin / Shape::chunk;
    mine.chunks = size / Shape::chunk;
    mine.rest = static_cast<unsigned>(size % Shape::chunk);
  }
  for (unsigned i = 0; i < warps; ++i) {
    crossing_segment const s = simt::shuffle(whole_warp, mine, static_cast<int>(i));
    bool const by_block = s.chunks >= 2048;
    if (s.number == 0 || (!by_block && i != warp)) continue;
    prefix_of<A, operation> total(A{}, false);
    std::size_t at = s.place;
    for (unsigned k = 64; k-- > 0;) {
      if ((s.chunks >> k & 1) == 0) continue;
      total.append(k > 10 ? block_total<warps>(scratch.chunks(), at, k, parts, warp, lane, op)
                          : warp_total(scratch.chunks(), at, k, lane, op),
                   op);
      at += std::size_t{1} << k;
    }
    A digit{};
    if (lane < Shape::chunk_log2 && (s.rest >> lane & 1) != 0)
      digit = stored_at(scratch.rest(), (first + i) * Shape::chunk_log2 + lane);
    for (unsigned k = Shape::chunk_log2; k-- > 0;) {
      A const next = simt::shuffle(whole_warp, digit, static_cast<int>(k));
      if ((s.rest >> k & 1) != 0) total.append(next, op);
    }
    if (lane == 0 && warp == i) results.store(s.number - 1, total.value());
  }
}

}  // namespace upsweep::device
