/// Scan-scan-add: scan the tiles, scan the tiles' totals, add to every tile its exclusive prefix.
/// Cost: 4N - 2n element accesses (the first tile skips the addition) · 3 launches per level ·
/// B totals stored
/// Source: Harris, Sengupta & Owens, GPU Gems 3, ch. 39.2.4; ETH Zürich, P&S, "SSA"; Tutorial 11
/// Page: docs/algorithms/scan_scan_add.md
#pragma once

#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void scan_tiles(T const* in, T* out, T* totals, std::size_t n, Op op) {
  __shared__ T warp_totals[threads / 32];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  T mine = identity_of<T>(op);
  if (i < n) mine = in[i];
  mine = block_scan<T, threads / 32>(mine, warp_totals, op);
  if (i < n) out[i] = mine;
  if (t == threads - 1) totals[blockIdx.x] = mine;
}

/// prefixes[b] covers the tiles up to and including b.
template <class T, int threads, class Op>
__global__ void add_prefixes(T* out, T const* prefixes, std::size_t n, Op op) {
  if (blockIdx.x == 0) return;
  std::size_t const i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) out[i] = op(prefixes[blockIdx.x - 1], out[i]);
}

/// Who scans the totals of the tiles.
enum class totals_by { recursion, host };

template <int threads, totals_by who = totals_by::recursion>
struct scan_scan_add_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const tiles = blocks_for(n, threads);
    auto const totals = machine.template allocate<T>(tiles, "totals");
    machine.launch(
        {.name = "scan_tiles", .blocks = {tiles}, .threads = {threads}, .independent_blocks = true},
        scan_tiles<T, threads, Op>, in, out, totals, n, op);
    if (tiles == 1) return;
    T* prefixes = totals;
    if constexpr (who == totals_by::recursion) {
      prefixes = machine.template allocate<T>(tiles, "prefixes");
      run<Machine, T, Op>(machine, totals, prefixes, tiles, op);
    } else {
      std::vector<T> sums = machine.to_host(totals, tiles);
      for (std::size_t b = 1; b < sums.size(); ++b) sums[b] = op(sums[b - 1], sums[b]);
      machine.to_device(prefixes, std::span<T const>(sums));
    }
    machine.launch({.name = "add_prefixes",
                    .blocks = {tiles},
                    .threads = {threads},
                    .independent_blocks = true},
                   add_prefixes<T, threads, Op>, out, prefixes, n, op);
  }
};

}  // namespace upsweep::textbook
