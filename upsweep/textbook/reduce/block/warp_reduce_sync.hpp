/// shuffle_reduce with one hardware instruction instead of five shuffles and five applications.
/// Cost: T applications (while loading) · n loads, 1 store · 1 barrier ·
/// 1 reduce instruction per warp + 1
/// Source: CUDA C++ Programming Guide, warp reduce functions (compute capability 8.0)
/// Page: docs/algorithms/warp_reduce_sync.md
///
/// The instruction supports add, min, max, and, or, xor of 32-bit integers, in unspecified order:
/// all six commute.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/textbook/hardware_operation.hpp>
#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::textbook {

/// The warp's total, in every lane. `which` must be uniform over the warp.
template <class T>
__device__ T hardware_total(T value, hardware_operation which) {
  unsigned const bits = static_cast<unsigned>(value);
  switch (which) {
    case hardware_operation::add:
      return __reduce_add_sync(all_lanes, value);
    case hardware_operation::min:
      return __reduce_min_sync(all_lanes, value);
    case hardware_operation::max:
      return __reduce_max_sync(all_lanes, value);
    case hardware_operation::bit_and:
      return static_cast<T>(__reduce_and_sync(all_lanes, bits));
    case hardware_operation::bit_or:
      return static_cast<T>(__reduce_or_sync(all_lanes, bits));
    default:
      return static_cast<T>(__reduce_xor_sync(all_lanes, bits));
  }
}

template <class T, int threads, class Op>
__global__ void warp_reduce_sync(T const* in, T* out, std::size_t n, Op op,
                                 hardware_operation which) {
  __shared__ T totals[threads / 32];
  unsigned const t = threadIdx.x;
  std::size_t const i = blockIdx.x * std::size_t{2 * threads} + t;
  T const near = i < n ? in[i] : identity_of<T>(op);
  T const far = i + threads < n ? in[i + threads] : identity_of<T>(op);
  T const total = hardware_total(op(near, far), which);
  if (t % 32 == 0) totals[t / 32] = total;
  __syncthreads();  // totals[w] is the total of warp w
  if (t >= 32) return;
  T const rest = t < threads / 32 ? totals[t] : identity_of<T>(op);
  T const all = hardware_total(rest, which);
  if (t == 0) out[blockIdx.x] = all;
}

/// `which` is deduced for the operators of ops/. With a type-erased operator the caller passes the
/// operation that the operator performs.
template <int threads>
struct warp_reduce_sync_plan {
  static_assert(is_tree_block<threads>);
  static constexpr bool keeps_order = false;
  static constexpr std::size_t tile = 2 * threads;
  template <class T, class Op>
  static constexpr bool supports =
      std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op,
                  hardware_operation which = hardware_operation_of<Op>) {
    static_assert(
        supports<T, Op>,
        "warp_reduce_sync: the instruction takes 32-bit integers only; use shuffle_reduce");
    detail::expects(
        which != hardware_operation::none,
        "warp_reduce_sync: the instruction supports sum, min, max, and, or, xor, and this "
        "operator is none of them; use shuffle_reduce");
    reduce_by_levels<T>(
        machine, in, out, n, tile, [&](T const* from, T* to, std::size_t count, unsigned tiles) {
          machine.launch(free_blocks("warp_reduce_sync", tiles, threads),
                         warp_reduce_sync<T, threads, Op>, from, to, count, op, which);
        });
  }
};

}  // namespace upsweep::textbook
