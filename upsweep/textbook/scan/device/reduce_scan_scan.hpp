/// Reduce-scan-scan: reduce the tiles, scan their totals, then scan every tile starting from its
/// exclusive prefix.
/// Cost: 3N element accesses · 3 launches per level · B totals stored
/// Source: Dotsenko et al. 2008; ETH Zürich, P&S Heterogeneous Systems, "RSS"
/// Page: docs/algorithms/reduce_scan_scan.md
#pragma once

#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>
#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void reduce_tiles(T const* in, T* totals, std::size_t n, Op op) {
  std::size_t const i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  T const total = block_total<threads>(mine, op);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

/// prefixes[b] covers the tiles up to and including b.
template <class T, int threads, class Op>
__global__ void scan_tiles_from(T const* in, T* out, T const* prefixes, std::size_t n, Op op) {
  __shared__ T warp_totals[threads / 32];
  std::size_t const i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  mine = block_scan<T, threads / 32>(mine, warp_totals, op);
  if (blockIdx.x > 0) mine = op(prefixes[blockIdx.x - 1], mine);
  if (i < n) out[i] = mine;
}

template <int threads>
struct reduce_scan_scan_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const tiles = blocks_for(n, threads);
    auto const prefixes = machine.template allocate<T>(tiles, "prefixes");
    if (tiles > 1) {
      auto const totals = machine.template allocate<T>(tiles, "totals");
      machine.launch({.name = "reduce_tiles",
                      .blocks = {tiles},
                      .threads = {threads},
                      .independent_blocks = true},
                     reduce_tiles<T, threads, Op>, in, totals, n, op);
      run<Machine, T, Op>(machine, totals, prefixes, tiles, op);
    }
    machine.launch({.name = "scan_tiles_from",
                    .blocks = {tiles},
                    .threads = {threads},
                    .independent_blocks = true},
                   scan_tiles_from<T, threads, Op>, in, out, prefixes, n, op);
  }
};

}  // namespace upsweep::textbook
