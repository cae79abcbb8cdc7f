/// How the scan of one tile becomes a scan of any size: scan the tiles, collect their totals, scan
/// the totals in the same way, add the carries.
///
/// Every plan whose kernel scans only within a block uses scan_by_tiles(). `in` and `out` must not
/// overlap: the total of an exclusively scanned tile needs the tile's last input element.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace upsweep::textbook {

/// totals[b] = the total of tile b: the last element of the tile's inclusive scan in `out`, or of
/// its exclusive scan combined with the last input element.
template <class T, std::size_t tile, bool exclusive, class Op>
__global__ void totals_of_tiles(T const* in, T const* out, T* totals, std::size_t n,
                                std::size_t tiles, Op op) {
  std::size_t const b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b >= tiles) return;
  std::size_t const end = b + 1 < tiles ? (b + 1) * tile : n;
  T total = out[end - 1];
  if constexpr (exclusive) {
    T const last = in[end - 1];
    total = op(total, last);
  }
  totals[b] = total;
}

/// Adds to every element from the second tile on the exclusive prefix of its tile. `prefixes` is
/// the scan of the tiles' totals.
template <class T, std::size_t tile, bool exclusive, class Op>
__global__ void add_carries(T* out, T const* prefixes, std::size_t n, Op op) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x + tile;
  if (i >= n) return;
  std::size_t const b = i / tile;
  T const carry = prefixes[exclusive ? b : b - 1];
  T const mine = out[i];
  out[i] = op(carry, mine);
}

/// The number of blocks of `size` elements that cover n elements.
[[nodiscard]] constexpr unsigned blocks_for(std::size_t n, std::size_t size) {
  return static_cast<unsigned>((n + size - 1) / size);
}

/// Scans n elements with `scan_tiles(in, out, n, blocks)`, which scans each tile of `tile` elements
/// independently. Recursion depth log n / log tile; 4N element accesses on the first level and less
/// than 6N / tile on all others.
template <class T, std::size_t tile, bool exclusive, class Machine, class Op, class ScanTiles>
void scan_by_tiles(Machine& machine, T const* in, T* out, std::size_t n, Op op,
                   ScanTiles const& scan_tiles) {
  if (n == 0) return;
  unsigned const tiles = blocks_for(n, tile);
  scan_tiles(in, out, n, tiles);
  if (tiles == 1) return;

  constexpr int threads = 256;
  auto const totals = machine.template allocate<T>(tiles, "totals");
  auto const prefixes = machine.template allocate<T>(tiles, "prefixes");
  machine.launch({.name = "totals_of_tiles",
                  .blocks = {blocks_for(tiles, threads)},
                  .threads = {threads},
                  .independent_blocks = true},
                 totals_of_tiles<T, tile, exclusive, Op>, in, out, totals, n, std::size_t{tiles},
                 op);
  scan_by_tiles<T, tile, exclusive>(machine, totals, prefixes, tiles, op, scan_tiles);
  machine.launch({.name = "add_carries",
                  .blocks = {blocks_for(n - tile, threads)},
                  .threads = {threads},
                  .independent_blocks = true},
                 add_carries<T, tile, exclusive, Op>, out, prefixes, n, op);
}

/// The same with one launch of `kernel`, each of whose blocks scans a tile.
template <std::size_t tile, bool exclusive, class Machine, class T, class Op, class Kernel>
void scan_by_blocks(Machine& machine, T const* in, T* out, std::size_t n, Op op, char const* stem,
                    unsigned threads, Kernel kernel) {
  scan_by_tiles<T, tile, exclusive>(
      machine, in, out, n, op, [&](T const* x, T* y, std::size_t count, unsigned tiles) {
        machine.launch(free_blocks(stem, tiles, threads), kernel, x, y, count, op);
      });
}

/// The exclusive scan of a few totals, on the host.
template <class T, class Machine, class Op>
T* host_exclusive_scan(Machine& machine, T const* totals, std::size_t count, Op op) {
  std::vector<T> sums = machine.to_host(totals, count);
  T before = identity_of<T>(op);
  for (T& sum : sums) {
    T const total = sum;
    sum = before;
    before = op(before, total);
  }
  auto const carries = machine.template allocate<T>(count, "carries");
  machine.to_device(carries, std::span<T const>(sums));
  return carries;
}

}  // namespace upsweep::textbook
