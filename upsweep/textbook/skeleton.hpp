/// What the plans of the reductions share: tiles, launches level by level, and a copy padded to
/// whole tiles.
///
/// Threads without an element take the identity, as in all of the sources. For a sum of floats the
/// identity is +0, and -0 + 0 is +0: a sum whose elements are all -0 is -0 when every tile is full
/// and +0 otherwise. The library's own sums keep the sign.
#pragma once

#include <upsweep/ops/monoid.hpp>
#include <upsweep/simt/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::textbook {

/// The mask of a warp operation in which all 32 lanes take part.
inline constexpr unsigned all_lanes = 0xffffffffu;

/// Block sizes that a tree can halve down to one thread; plans assert it. A plan that also works
/// with less than a warp declares `least_threads`.
template <int threads, int least = 32>
inline constexpr bool is_tree_block =
    (threads >= least) && (threads <= 1024) && (threads & (threads - 1)) == 0;

/// True when `Plan` can run with elements T and operator Op; a plan without `supports` takes all.
template <class Plan, class T, class Op>
inline constexpr bool plan_supports = [] {
  if constexpr (requires { bool{Plan::template supports<T, Op>}; })
    return Plan::template supports<T, Op>;
  else
    return true;
}();

/// How many tiles hold n elements. At least one: for n = 0 its block writes the identity. A launch
/// has at most 2^31 - 1 blocks, enough for 2^40 elements.
[[nodiscard]] constexpr unsigned tiles_of(std::size_t n, std::size_t tile) {
  return n <= tile ? 1 : static_cast<unsigned>((n - 1) / tile + 1);
}

/// Reduces any n with a kernel that writes one total per tile: `launch(in, totals, n, tiles)` runs
/// it on the tiles, then on their totals, level by level until one total is left in `out`.
template <class T, class Machine, class Launch>
void reduce_by_levels(Machine& machine, T const* in, T* out, std::size_t n, std::size_t tile,
                      Launch const& launch) {
  while (n > tile) {
    unsigned const tiles = tiles_of(n, tile);
    T* const totals = machine.template allocate<T>(tiles, "totals");
    launch(in, totals, n, tiles);
    in = totals;
    n = tiles;
  }
  launch(in, out, n, 1u);
}

/// The shape of a launch in which no block reads what another one writes.
[[nodiscard]] constexpr simt::launch_shape free_blocks(char const* stem, unsigned blocks,
                                                       unsigned threads) {
  return {.name = stem, .blocks = {blocks}, .threads = {threads}, .independent_blocks = true};
}

/// Reduces any n with one launch of `kernel` for each level, each of whose blocks reduces a tile.
template <class T, class Machine, class Op, class Kernel>
void reduce_by_blocks(Machine& machine, T const* in, T* out, std::size_t n, std::size_t tile, Op op,
                      char const* stem, unsigned threads, Kernel kernel) {
  reduce_by_levels<T>(
      machine, in, out, n, tile, [&](T const* from, T* to, std::size_t count, unsigned tiles) {
        machine.launch(free_blocks(stem, tiles, threads), kernel, from, to, count, op);
      });
}

template <class T, class Op>
__global__ void padded_copy(T const* in, T* out, std::size_t n, std::size_t padded, Op op) {
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < padded) out[i] = i < n ? in[i] : identity_of<T>(op);
}

/// A copy of in[0 .. n), followed by identities up to `padded` elements, for kernels that overwrite
/// their input.
template <int threads, class T, class Machine, class Op>
[[nodiscard]] T* copy_with_identities(Machine& machine, T const* in, std::size_t n,
                                      std::size_t padded, Op op) {
  T* const data = machine.template allocate<T>(padded, "data");
  machine.launch(
      {.name = "padded_copy", .blocks = {tiles_of(padded, threads)}, .threads = {threads}},
      padded_copy<T, Op>, in, data, n, padded, op);
  return data;
}

}  // namespace upsweep::textbook
