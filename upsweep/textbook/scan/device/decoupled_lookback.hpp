/// Decoupled look-back: a tile publishes its total at once, and a warp looks back over 32 totals at
/// a time until it meets a prefix.
/// Cost: 2N element accesses · 1 launch ·
/// 8 warp operations per tile beyond the block's scan, 1 in tile 0, if no tile waits
/// Source: Merrill & Garland 2016
/// Page: docs/algorithms/decoupled_lookback.md
#pragma once

#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// What a tile has published so far.
enum tile_status : unsigned { has_nothing, has_total, has_prefix };

/// What tiles publish. Values are stored apart from the status, so T may have any size.
template <class T>
struct published_tiles {
  unsigned* status;
  T* totals;
  T* prefixes;

  __device__ void publish(unsigned tile, tile_status what, T value) const {
    if (what == has_total)
      totals[tile] = value;
    else
      prefixes[tile] = value;
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> mine(status[tile]);
    mine.store(what, ::cuda::memory_order_release);  // a reader that sees the status sees the value
  }
  __device__ unsigned look(unsigned tile) const {
    ::cuda::atomic_ref<unsigned, ::cuda::thread_scope_device> theirs(status[tile]);
    return theirs.load(::cuda::memory_order_acquire);
  }
};

/// The exclusive prefix of `tile` > 0, valid in lane 0 of the calling warp. Lane 0 looks at the
/// nearest tile, lane 31 at the farthest.
template <class T, class Op>
__device__ T look_back(unsigned tile, published_tiles<T> tiles, T const identity, Op op) {
  unsigned const lane = threadIdx.x % 32;
  T before = identity;
  for (unsigned end = tile;; end -= 32) {  // the window is the 32 tiles before `end`
    unsigned status = has_prefix;          // beyond tile 0 the prefix is empty
    do {
      if (lane < end) status = tiles.look(end - 1 - lane);
    } while (__any_sync(all_lanes, status == has_nothing));
    unsigned const prefixes = __ballot_sync(all_lanes, status == has_prefix);
    bool const needed = (prefixes & ((1u << lane) - 1)) == 0;  // no nearer tile has a prefix
    T value = identity;
    if (needed && status == has_total) value = tiles.totals[end - 1 - lane];
    if (needed && status == has_prefix) value = tiles.prefixes[end - 1 - lane];
    for (unsigned stride = 1; stride < 32; stride *= 2) {
      T const earlier = simt::shuffle_down(all_lanes, value, stride);
      if (lane % (2 * stride) == 0) value = op(earlier, value);
    }
    before = op(value, before);  // this window precedes those already combined
    if (prefixes != 0) return before;
  }
}

template <class T, int threads, class Op>
__global__ void decoupled_lookback(T const* in, T* out, std::size_t n, published_tiles<T> tiles,
                                   unsigned* next_tile, Op op) {
  __shared__ T warp_totals[threads / 32];
  __shared__ unsigned ticket;
  __shared__ T carry;
  unsigned const t = threadIdx.x;
  if (t == 0) ticket = atomicAdd(&next_tile[0], 1u);
  __syncthreads();  // the block knows its tile, and all earlier tiles belong to blocks that have
                    // started
  unsigned const tile = ticket;
  std::size_t const i = std::size_t{tile} * threads + t;
  T const identity = identity_of<T>(op);
  T mine = identity, before = identity;
  if (i < n) mine = in[i];
  mine = block_scan<T, threads / 32>(mine, warp_totals, op);
  if (t < 32) {
    T const total = warp_totals[threads / 32 - 1];
    if (t == 0) tiles.publish(tile, tile == 0 ? has_prefix : has_total, total);
    if (tile > 0) before = look_back(tile, tiles, identity, op);
    before = simt::shuffle(all_lanes, before, 0);
    if (t == 0 && tile > 0) tiles.publish(tile, has_prefix, op(before, total));
    if (t == 0) carry = before;
  }
  __syncthreads();  // the carry is visible to the other warps
  if (t >= 32) before = carry;
  if (tile > 0) mine = op(before, mine);
  if (i < n) out[i] = mine;
}

template <int threads>
struct decoupled_lookback_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool exclusive = false;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    if (n == 0) return;
    unsigned const count = blocks_for(n, threads);
    published_tiles<T> const tiles{machine.template allocate<unsigned>(count, "status"),
                                   machine.template allocate<T>(count, "totals"),
                                   machine.template allocate<T>(count, "prefixes")};
    auto const next_tile = machine.template allocate<unsigned>(1, "next_tile");
    machine.fill(tiles.status, count, unsigned{has_nothing});
    machine.fill(next_tile, 1, 0u);
    machine.launch({.name = "decoupled_lookback", .blocks = {count}, .threads = {threads}},
                   decoupled_lookback<T, threads, Op>, in, out, n, tiles, next_tile, op);
  }
};

}  // namespace upsweep::textbook
