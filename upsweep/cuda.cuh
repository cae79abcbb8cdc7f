/// Reductions and scans on NVIDIA GPUs, for files that nvcc compiles: any operator, any type, any
/// iterator.
///
///   // x and y point to device memory
///   upsweep::inclusive_scan(upsweep::gpu{stream}, std::span(x, n), std::span(y, n));
///
/// Compile with -std=c++20. Your own code may also need --extended-lambda, -fmad=false and
/// --expt-relaxed-constexpr (docs/cuda.md); linking to the CMake target upsweep::cuda sets them.
#pragma once

#include <upsweep/cuda/checked.cuh>
#include <upsweep/cuda/half.cuh>
#include <upsweep/cuda/histogram/launch.cuh>
#include <upsweep/cuda/instances.cuh>
#include <upsweep/cuda/pieces/launch.cuh>
#include <upsweep/cuda/recurrence/launch.cuh>
#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/runs/launch.cuh>
#include <upsweep/cuda/scan/exact_launch.cuh>
#include <upsweep/cuda/scan/launch.cuh>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>
#include <upsweep/cuda/stream/launch.cuh>
#include <upsweep/cuda/summed_area/launch.cuh>
#include <upsweep/cuda/windows/launch.cuh>
#include <upsweep/scan.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace upsweep {

/// The plan of a call on upsweep::gpu, on `device`: reduce of n elements of type T, or a scan of
/// them into elements of type U. The memory is contiguous and aligned to 16 bytes. Costs no GPU
/// time.
template <class T, class Op = plus>
[[nodiscard]] cuda_plan plan_reduce(std::size_t n,
                                    cuda_device const& device = cuda_device::current(),
                                    cuda_plan_options const& o = {}) {
  using A = accumulator_t<typename device::kernel_form<Op>::type, T>;
  if (n == 0) return {};
  if constexpr (std::is_same_v<Op, exact_sum>)
    return device::pick_exact_sum<T, A>(n, device);
  else
    return o.reverse ? device::pick_reduce<T, A, true>(n, device)
                     : device::pick_reduce<T, A, false>(n, device);
}
template <class T, class U = T, class Op = plus>
[[nodiscard]] cuda_plan plan_scan(std::size_t n, cuda_device const& device = cuda_device::current(),
                                  cuda_plan_options const& o = {}) {
  using by = std::conditional_t<device::fits_plus_32<Op, T, U>, device::plus_32,
                                typename device::kernel_form<Op>::type>;
  using forwards = device::element_source<T, T const*, detail::as_is, by, false>;
  using backwards = device::element_source<T, T const*, detail::as_is, by, true>;
  static_assert(!std::is_same_v<Op, exact_sum>,
                "plan_scan: a scan by exact_sum needs several launches; use gpu::plans_to");
  if (n == 0) return {};
  return o.reverse ? device::pick_scan<backwards, U>(n, true, o.blocks_start_in_order, device)
                   : device::pick_scan<forwards, U>(n, true, o.blocks_start_in_order, device);
}

/// transform_reduce that leaves the result on the device: *out = finish(initial op f(x[0]) op ...),
/// in stream order, without waiting. `out` points to device memory or to pinned host memory. Throws
/// as transform_reduce does, and cuda_error.
template <elements In, class R, class F, class Op = plus>
void transform_reduce_into(gpu const& on, In const& in, R* out, F const& f, Op const& op = {},
                           options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  using A = detail::accumulator_over<Op, In const, F>;
  static_assert(!device::refuses<Op, A>,
                "upsweep::gpu: a checked operator must report an overflow to the host; use reduce");
  detail::expect_prefix_tree(o);
  detail::float_environment const ieee;
  std::size_t const n = std::ranges::size(in);
  if (n == 0) {
    R const nothing = static_cast<R>(detail::finished(op, detail::result_of_empty(op, o)));
    return device::store_value(on, out, nothing);
  }
  A const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
  if (o.reverse)
    device::reduce_into_on(on, detail::source_of<true>(in, n, f, op), n, op, out, initial);
  else
    device::reduce_into_on(on, detail::source_of<false>(in, n, f, op), n, op, out, initial);
}

/// The same over f(x[0], y[0]), f(x[1], y[1]), ...
template <elements X, elements Y, class R, class F, class Op = plus>
void transform_reduce_into(gpu const& on, X const& x, Y const& y, R* out, F const& f,
                           Op const& op = {},
                           options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  upsweep::transform_reduce_into(on, detail::zip("transform_reduce_into", x, y, f), out,
                                 detail::as_is{}, op, o);
}

/// reduce that leaves the result on the device, as transform_reduce_into does.
template <elements In, class R, class Op = plus>
void reduce_into(gpu const& on, In const& in, R* out, Op const& op = {},
                 options<detail::accumulator_over<Op, In const>> const& o = {}) {
  upsweep::transform_reduce_into(on, in, out, detail::as_is{}, op, o);
}

}  // namespace upsweep
