/// One segment of 2T elements per block; each block adds its total to the result with one atomic
/// operation.
/// Cost: N - B applications, and one per block in the atomic · N loads ·
/// B = N / 2T atomics on one address
/// Source: PMPP 4th ed., ch. 10, fig. 10.13
/// Page: docs/algorithms/segmented_atomic.md
///
/// Blocks arrive in any order: the operator must commute, and a float sum may change its last bits
/// from run to run.
#pragma once

#include <upsweep/textbook/hardware_operation.hpp>
#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::textbook {

/// Element types that `combine_atomically` supports: those of a size that compare-and-swap handles.
template <class T>
inline constexpr bool fits_an_atomic =
    std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

/// result[0] = op(result[0], value), atomically: the hardware's addition where it exists, else a
/// compare-and-swap loop.
template <class T, class Op>
__device__ void combine_atomically(T* result, T value, Op op, hardware_operation which) {
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, float> ||
                std::is_same_v<T, double>)
    if (which == hardware_operation::add) {
      atomicAdd(&result[0], value);
      return;
    }
  ::cuda::atomic_ref<T, ::cuda::thread_scope_device> total(result[0]);
  T seen = total.load(::cuda::memory_order_relaxed);
  while (!total.compare_exchange_strong(seen, op(seen, value), ::cuda::memory_order_relaxed)) {
  }
}

template <class T, int threads, class Op>
__global__ void segmented_atomic(T const* in, T* out, std::size_t n, Op op,
                                 hardware_operation which) {
  __shared__ T tile[threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + t;
  T const near = i < n ? in[i] : identity_of<T>(op);
  T const far = i + threads < n ? in[i + threads] : identity_of<T>(op);
  tile[t] = op(near, far);
  for (unsigned stride = threads / 2; stride >= 1; stride /= 2) {
    __syncthreads();  // the first 2 * stride elements of the tile cover all of it
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t == 0) combine_atomically<T>(out, tile[0], op, which);
}

/// `which` is deduced for the operators of ops/; for `none` and for a type-erased operator the
/// atomic is a compare-and-swap.
template <int threads>
struct segmented_atomic_plan {
  static constexpr int least_threads = 1;
  static_assert(is_tree_block<threads, least_threads>);
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 2 * threads;
  template <class T, class Op>
  static constexpr bool supports = fits_an_atomic<T>;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op,
                  hardware_operation which = hardware_operation_of<Op>) {
    static_assert(supports<T, Op>,
                  "segmented_atomic: elements must have 4 or 8 bytes for the atomic; use two_pass");
    machine.fill(out, 1, identity_of<T>(op));
    machine.launch(
        {.name = "segmented_atomic", .blocks = {tiles_of(n, tile)}, .threads = {threads}},
        segmented_atomic<T, threads, Op>, in, out, n, op, which);
  }
};

}  // namespace upsweep::textbook
