/// The carry of a stream of chunks, in device memory: after each aligned block of elements, its total joins what stands left.
/// 1 launch of one block · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// Where the block has been scanned, its total is made from the totals of its tiles, which the scan has left in its workspace: so
/// the elements are not read again.
#pragma once

#include <upsweep/cuda/device/stamped.hpp>
#include <upsweep/cuda/device/tree.hpp>
#include <upsweep/cuda/device_carry.hpp>

#include <cstddef>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

/// Where the carry of a stream of reductions goes besides: nowhere.
struct no_last_result {
  template <class A, class Op>
  __device__ void store(A const&, Op const&) const {}
};
/// The last result of an inclusive scan, where pushing merges blocks: it then ends a larger aligned block than the one that has
/// been scanned, so it has another association.
template <class Sink, class A>
struct last_result {
  Sink out;
  A initial;
  bool has_initial, merges;

  template <class Op>
  __device__ void store(A const& prefix, Op const& op) const {
    if (merges) out(0, has_initial ? op(initial, prefix) : prefix);
  }
};

/// Called by all warps of a block: the total of `count` tiles, a power of two, of a launch that has ended. Sums of tiles take the
/// words of their first one, stamped for no launch.
template <unsigned warps, class A, class Op>
__device__ A total_of_tiles(tile_totals<A> const& tiles, unsigned count, unsigned warp, unsigned lane, Op const& op) {
  constexpr unsigned rows = totals_at_once<A>, most = 32 * rows;
  auto const read = [&](unsigned tile) {
    typename tile_totals<A>::stamped_total x{};
    tiles.look(tile, 1, x);
    return x.value();
  };
  for (unsigned stride = 1; count > 1;) {
    unsigned const radix = count >= most ? most : count < 32 ? count : 32;
    for (unsigned first = warp * radix; first < count; first += warps * radix) {
      A v[rows];
      if (radix == most) {
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) v[r] = read((first + r * 32 + lane) * stride);
        v[0] = rows_total(v, lane, op);
      } else {
        v[0] = read((first + lane % radix) * stride);
        for (unsigned d = 1; d < radix; d *= 2)
          v[0] = combine_swapped(v[0], simt::shuffle_xor(whole_warp, v[0], static_cast<int>(d)), (lane & d) != 0, op);
      }
      __syncwarp();  // everybody has read
      if (lane == 0) tiles.publish(first * stride, v[0]);
    }
    __syncthreads();  // the sums of this level are there
    stride *= radix;
    count /= radix;
  }
  return read(0);
}

/// Appends the aligned block of 2^k elements at `position`, whose total is given. Called by one thread; returns the new prefix.
template <class A, class Op>
__device__ A push_total(global<A> carry, std::size_t position, unsigned k, A total, Op const& op) {
  for (; (position >> k & 1) != 0; ++k) {
    A const earlier = carry[k];
    total = op(earlier, total);
  }
  carry[k] = total;
  A prefix = total;
  bool there = false;
  for (unsigned d = carry_prefix; d-- > k + 1;) {
    if ((position >> d & 1) == 0) continue;
    A const next = carry[d];
    prefix = there ? op(prefix, next) : next;
    there = true;
  }
  if (there) prefix = op(prefix, total);
  carry[carry_prefix] = prefix;
  return prefix;
}

/// One block. The pushed total is made from `count` tiles, or lies in the carry already when there are none.
template <unsigned warps, class A, class Op, class Last>
__global__ void __launch_bounds__(32 * warps)
    push_block(global<A> carry, std::size_t position, unsigned k, workspace_words workspace, unsigned count, Last last, Op op) {
  wait_for_earlier_work();
  A total;
  if (count > 0)
    total = total_of_tiles<warps>(workspace.totals<A>(0), count, warp_in_block(), threadIdx.x % 32, op);
  else
    total = carry[carry_pushed];
  if (threadIdx.x != 0) return;
  A const prefix = push_total(carry, position, k, total, op);
  last.store(prefix, op);
}

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
