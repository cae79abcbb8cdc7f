/// A tree in global memory whose stride halves from the block size down: the active threads stay
/// adjacent, so whole warps retire.
/// Cost: n - 1 applications · log2 n steps · log2 n barriers ·
/// n = 256: 384 lane slots, 36 lines of 128 bytes (4-byte elements)
/// Source: PMPP 4th ed., ch. 10, fig. 10.9
/// Page: docs/algorithms/convergent.md
///
/// Element t meets element t + stride, so operands are not combined in input order: the operator
/// must commute.
#pragma once

#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

template <class T, int threads, class Op>
__global__ void convergent(T* data, T* out, Op op) {
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + t;
  for (unsigned stride = threads; stride >= 1; stride /= 2) {
    if (t < stride) data[i] = op(data[i], data[i + stride]);
    __syncthreads();  // the first `stride` elements of the tile cover all of it
  }
  if (t == 0) out[blockIdx.x] = data[i];
}

/// The kernel overwrites what it reduces, so each level works on a copy, padded with identities to
/// whole tiles.
template <int threads>
struct convergent_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 2 * threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_levels<T>(
        machine, in, out, n, tile, [&](T const* from, T* to, std::size_t count, unsigned tiles) {
          T* const data = copy_with_identities<threads, T>(machine, from, count, tiles * tile, op);
          machine.launch(free_blocks("convergent", tiles, threads), convergent<T, threads, Op>,
                         data, to, op);
        });
  }
};

}  // namespace upsweep::textbook
