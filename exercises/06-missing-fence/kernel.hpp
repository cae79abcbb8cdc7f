/// Chained scan as it is usually printed: every tile waits for its left neighbour's flag. README.md
/// says what is wrong.
#pragma once

#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void flag_scan(global<const T> in, global<T> out, std::size_t n, global<T> carries,
                          global<unsigned> flags, global<unsigned> next_tile, Op op) {
  __shared__ shared<T, threads / 32> warp_totals;
  __shared__ shared<unsigned, 1> ticket;
  __shared__ shared<T, 1> carry;
  unsigned const t = threadIdx.x;
  if (t == 0) ticket[0] = atomicAdd(&next_tile[0], 1u);
  __syncthreads();  // the block knows its tile
  unsigned const tile = ticket[0];
  std::size_t const i = std::size_t{tile} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  mine = block_scan<T, threads / 32>(mine, warp_totals, op);
  if (t == threads - 1) {
    T prefix = mine;
    if (tile > 0) {
      while (atomicAdd(&flags[tile - 1], 0u) == 0) {
      }
      T const before = carries[tile - 1];
      carry[0] = before;
      prefix = op(before, mine);
    }
    carries[tile] = prefix;
    __threadfence();  // release: a reader that sees the flag sees the carry
    atomicAdd(&flags[tile], 1u);
  }
  __syncthreads();  // the carry is in shared memory
  if (tile > 0) mine = op(carry[0], mine);
  if (i < n) out[i] = mine;
}

template <int threads>
struct flag_scan_plan {
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const tiles = blocks_for(n, threads);
    auto const carries = machine.template allocate<T>(tiles, "carries");
    auto const flags = machine.template allocate<unsigned>(tiles, "flags");
    auto const next_tile = machine.template allocate<unsigned>(1, "next_tile");
    machine.fill(flags, tiles, 0u);
    machine.fill(next_tile, 1, 0u);
    machine.launch({.name = "flag_scan", .blocks = {tiles}, .threads = {threads}},
                   flag_scan<T, threads, Op>, in, out, n, carries, flags, next_tile, op);
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
