/// Chained scan: one launch in which every tile waits for its left neighbor's prefix and passes
/// its own on.
/// Cost: 2N element accesses · 1 launch · T elements per tile: 5·T / 32 + 5 shuffles ·
/// a dependence chain through all tiles
/// Source: Yan, Long & Zhang 2013 (StreamScan); ETH Zürich, P&S, adjacent-block synchronization
/// Page: docs/algorithms/chained_scan.md
///
/// The usual listing spins on the flag and then reads the carry with no fence between: nothing
/// orders the two reads.
#pragma once

#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void chained_scan(T const* in, T* out, std::size_t n, T* carries, unsigned* flags,
                             unsigned* next_tile, Op op) {
  __shared__ T warp_totals[threads / 32];
  __shared__ unsigned ticket;
  __shared__ T carry;
  unsigned const t = threadIdx.x;
  if (t == 0) ticket = atomicAdd(&next_tile[0], 1u);
  __syncthreads();  // the block knows its tile; blocks draw tiles in the order in which they
                    // start, so no block waits for one that has not started
  unsigned const tile = ticket;
  std::size_t const i = std::size_t{tile} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  mine = block_scan<T, threads / 32>(mine, warp_totals, op);
  if (t == threads - 1) {
    T prefix = mine;
    if (tile > 0) {
      while (atomicAdd(&flags[tile - 1], 0u) == 0) {
      }
      __threadfence();  // acquire: the carry is read after the flag
      T const before = carries[tile - 1];
      carry = before;
      prefix = op(before, mine);
    }
    carries[tile] = prefix;
    __threadfence();  // release: a reader that sees the flag sees the carry
    atomicAdd(&flags[tile], 1u);
  }
  __syncthreads();  // the carry is in shared memory
  if (tile > 0) mine = op(carry, mine);
  if (i < n) out[i] = mine;
}

template <int threads>
struct chained_scan_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const tiles = blocks_for(n, threads);
    auto const carries = machine.template allocate<T>(tiles, "carries");
    auto const flags = machine.template allocate<unsigned>(tiles, "flags");
    auto const next_tile = machine.template allocate<unsigned>(1, "next_tile");
    machine.fill(flags, tiles, 0u);
    machine.fill(next_tile, 1, 0u);
    machine.launch({.name = "chained_scan", .blocks = {tiles}, .threads = {threads}},
                   chained_scan<T, threads, Op>, in, out, n, carries, flags, next_tile, op);
  }
};

}  // namespace upsweep::textbook
