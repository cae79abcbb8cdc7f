/// Scan-scan-add, right, with 4N accesses to global memory. README.md says how few are possible.
#pragma once

#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::exercise {

using namespace textbook;

template <class T, int threads, class Op>
__global__ void scan_every_tile(global<const T> in, global<T> out, global<T> totals, std::size_t n,
                                Op op) {
  __shared__ shared<T, threads / 32> warp_totals;
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
__global__ void add_to_every_tile(global<T> out, global<const T> prefixes, std::size_t n, Op op) {
  if (blockIdx.x == 0) return;
  std::size_t const i = std::size_t{blockIdx.x} * threads + threadIdx.x;
  if (i < n) out[i] = op(prefixes[blockIdx.x - 1], out[i]);
}

template <int threads>
struct frugal_scan_plan {
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, global<const T> in, global<T> out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const tiles = blocks_for(n, threads);
    auto const totals = machine.template allocate<T>(tiles, "totals");
    machine.launch({.name = "scan_every_tile",
                    .blocks = {tiles},
                    .threads = {threads},
                    .independent_blocks = true},
                   scan_every_tile<T, threads, Op>, in, out, totals, n, op);
    if (tiles == 1) return;
    auto const prefixes = machine.template allocate<T>(tiles, "prefixes");
    run<Machine, T, Op>(machine, totals, prefixes, tiles, op);
    machine.launch({.name = "add_to_every_tile",
                    .blocks = {tiles},
                    .threads = {threads},
                    .independent_blocks = true},
                   add_to_every_tile<T, threads, Op>, out, prefixes, n, op);
  }
};

}  // namespace upsweep::exercise
#include <upsweep/simt/end.hpp>
