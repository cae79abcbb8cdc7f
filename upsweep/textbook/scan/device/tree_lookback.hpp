/// Tree look-back: a tile's prefix is combined from totals of aligned blocks of tiles, one for each
/// 1 bit of the tile's number.
/// Cost: 2N element accesses · 1 launch · 2·log2 n + 2·log2 B - 1 steps for tiles of n
/// Source: Upsweep, docs/contracts.md section 2; the totals form a Fenwick tree (Fenwick 1994)
/// Page: docs/algorithms/tree_lookback.md
///
/// Only totals are published, so no tile waits for a prefix, and the result has the bits of the
/// combine tree.
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// What tile e - 1 publishes: totals[e], the total of the tiles [e - 2^k, e), where 2^k is the
/// largest power of two that divides e.
template <class T>
struct published_totals {
  unsigned* flags;
  T* totals;

  __device__ void publish(unsigned e, T total) const {
    totals[e] = total;
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> flag(flags[e]);
    flag.store(1, ::cuda::memory_order_release);  // a reader that sees the flag sees the total
  }
  __device__ T wait_for(unsigned e) const {
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> flag(flags[e]);
    while (flag.load(::cuda::memory_order_acquire) == 0) {
    }
    return totals[e];
  }
};

/// before[0] = prefix(tile) and before[1] = prefix(tile + 1), counted in tiles; before[0] is not
/// written in tile 0. Called by warp 0: lane k handles binary digit k of the tile's number, and the
/// block of tiles for this digit ends at (tile >> k) << k.
template <class T, class Op>
__device__ void tree_prefix(unsigned tile, published_totals<T> tiles, T (&digits)[32],
                            T (&before)[2], T total, Op op) {
  unsigned const lane = threadIdx.x;
  // The digits below `own` are all ones: their blocks and this tile form the aligned block that
  // ends with this tile.
  unsigned own = 0;
  while ((tile >> own & 1) != 0) ++own;
  if (lane == 0) {
    for (unsigned k = 0; k < own; ++k) {
      T const left = tiles.wait_for(tile >> k << k);
      digits[k] = left;
      total = op(left, total);
    }
    // Published before waiting for anything else: the chain of waits is then log2 B deep.
    tiles.publish(tile + 1, total);
  }
  if (lane > own && (tile >> lane & 1) != 0) digits[lane] = tiles.wait_for(tile >> lane << lane);
  __syncwarp();  // the totals of all digits are in shared memory
  if (lane != 0) return;
  T prefix{};
  bool empty = true;
  for (unsigned k = 32; k-- > 0;) {
    if (k == own) before[1] = empty ? total : op(prefix, total);
    if ((tile >> k & 1) == 0) continue;
    prefix = empty ? digits[k] : op(prefix, digits[k]);
    empty = false;
  }
  if (!empty) before[0] = prefix;
}

template <class T, int threads, class Op>
__global__ void tree_lookback(T const* in, T* out, std::size_t n, published_totals<T> tiles,
                              unsigned* next_tile, Op op) {
  constexpr unsigned size = 2 * threads;
  __shared__ T x[2 * threads];
  __shared__ T digits[32];
  __shared__ T before[2];
  __shared__ unsigned ticket;
  unsigned const t = threadIdx.x;
  if (t == 0) ticket = atomicAdd(&next_tile[0], 1u);
  __syncthreads();  // the block knows its tile, and all earlier tiles belong to blocks that have
                    // started
  unsigned const tile = ticket;
  std::size_t const i = std::size_t{tile} * size + t;
  T low = identity_of<T>(op), high = low;  // padding beyond n: no valid prefix includes it
  if (i < n) low = in[i];
  if (i + threads < n) high = in[i + threads];
  x[t] = low;
  x[t + threads] = high;
  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // the last element of every aligned block of `stride` elements holds the
                      // block's total
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) x[right] = op(x[left], x[right]);
  }
  __syncthreads();  // the last element holds the tile's total
  if (t < 32) tree_prefix<T>(tile, tiles, digits, before, x[size - 1], op);
  if (t == 0 && tile > 0) x[size - 1] = before[0];  // thread 0 wrote before[0] itself
  for (unsigned stride = threads; stride > 0; stride /= 2) {
    __syncthreads();  // the last element of every aligned block of 2·stride elements holds
                      // the block's exclusive prefix
    unsigned const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) {
      T const total = x[left];
      if (tile > 0 || t > 0) {
        x[left] = x[right];
        x[right] = op(x[right], total);
      } else {
        x[right] = total;  // the array's first block has no prefix, and the identity must not
                           // enter any value
      }
    }
  }
  __syncthreads();  // every element holds its exclusive prefix, which is the inclusive result
                    // of the element before
  if (i < n) out[i] = x[t + 1];
  if (i + threads < n) out[i + threads] = t == threads - 1 ? before[1] : x[t + threads + 1];
}

template <int threads>
struct tree_lookback_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const count = blocks_for(n, 2 * threads);
    published_totals<T> const tiles{machine.template allocate<unsigned>(count + 1, "flags"),
                                    machine.template allocate<T>(count + 1, "totals")};
    auto const next_tile = machine.template allocate<unsigned>(1, "next_tile");
    machine.fill(tiles.flags, count + 1, 0u);
    machine.fill(next_tile, 1, 0u);
    machine.launch({.name = "tree_lookback", .blocks = {count}, .threads = {threads}},
                   tree_lookback<T, threads, Op>, in, out, n, tiles, next_tile, op);
  }
};

}  // namespace upsweep::textbook
