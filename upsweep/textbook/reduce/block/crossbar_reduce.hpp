/// Total of a warp over a lane crossbar: each lane names the lane it reads from, and a valid bit
/// travels with every value.
/// Cost: n - 1 applications · log2 n steps · 5 passes through the crossbar ·
/// no barrier, no shared memory, no identity padding
/// Source: ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum, "configurable crossbar"
/// Page: docs/algorithms/crossbar_reduce.md
///
/// Runs on the emulator only. A lane is invalid when it is past the end or when its value has
/// already been combined into another lane's. Combining with what an invalid lane sends is the bug
/// of the lecture's first version.
#pragma once

#include <upsweep/simt/crossbar.hpp>
#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// out[w] is the total of the 32 elements of warp w.
template <class T, class Op>
__global__ void crossbar_reduce(T const* in, T* out, std::size_t n, Op op) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  bool valid = i < n;
  T value = valid ? in[i] : T{};
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    simt::crossed<T> const later = simt::crossbar(value, valid, lane + offset);
    valid = valid && lane % (2 * offset) == 0;  // the other lanes' values are consumed
    if (valid && later.valid) value = op(value, later.value);
  }
  if (valid) out[i / 32] = value;
  if (i == 0 && n == 0) out[0] = identity_of<T>(op);
}

/// The same crossbar set to read from earlier lanes: out[i] is the inclusive prefix within the
/// warp. n log2 n - (n - 1) applications · log2 n steps.
template <class T, class Op>
__global__ void crossbar_prefix(T const* in, T* out, std::size_t n, Op op) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  bool const valid = i < n;
  T value = valid ? in[i] : T{};
  for (unsigned offset = 1; offset < 32; offset *= 2) {
    simt::crossed<T> const earlier =
        simt::crossbar(value, valid, lane - offset);  // no lane below 0 is valid
    if (valid && earlier.valid) value = op(earlier.value, value);
  }
  if (valid) out[i] = value;
}

template <int threads>
struct crossbar_reduce_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = true;
  static constexpr std::size_t tile = 32;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    reduce_by_levels<T>(
        machine, in, out, n, tile, [&](T const* from, T* to, std::size_t count, unsigned) {
          machine.launch(free_blocks("crossbar_reduce", tiles_of(count, threads), threads),
                         crossbar_reduce<T, Op>, from, to, count, op);
        });
  }
};

/// Up to 32 elements, one warp.
struct crossbar_prefix_plan {
  static constexpr bool keeps_order = true;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    machine.launch(free_blocks("crossbar_prefix", 1, 32), crossbar_prefix<T, Op>, in, out, n, op);
  }
};

}  // namespace upsweep::textbook
