/// Reductions and scans on NVIDIA GPUs, for files that nvcc compiles: any operator, any type, any
/// iterator.
///
///   upsweep::inclusive_scan(upsweep::cuda{stream}, std::span(x, n), std::span(y, n));      // x
///                                                                                          and y
///                                                                                          in
///                                                                                          device
///                                                                                          memory
///
/// Compile with --extended-lambda --expt-relaxed-constexpr -fmad=false, which linking to the CMake
/// target upsweep::cuda brings.
#pragma once

#include <upsweep/cuda/launch.cuh>

#include <upsweep/cuda/half.cuh>
#include <upsweep/cuda/streams.cuh>
#include <upsweep/scan.hpp>

namespace upsweep {

/// How upsweep::cuda is going to reduce n elements of type T, or to scan them into elements of type
/// U; for contiguous memory that is aligned to 16 bytes, in the direction of rising addresses, on
/// the device that is current or on another.
template <class T, class Op = plus>
[[nodiscard]] cuda_plan plan_reduce(std::size_t n,
                                    cuda_device const& device = cuda_device::current()) {
  cuda_plan result;
  if (n == 0) return result;
  auto const keep = [&](auto, cuda_plan const& plan) { result = plan; };
  if constexpr (std::is_same_v<Op, exact_sum>)
    device::with_exact_plan<T, accumulator_t<Op, T>>(n, device, keep);
  else
    device::with_reduce_plan<T, accumulator_t<Op, T>, false>(n, device, keep);
  return result;
}
template <class T, class U = T, class Op = plus>
[[nodiscard]] cuda_plan plan_scan(std::size_t n,
                                  cuda_device const& device = cuda_device::current()) {
  using combines = std::conditional_t<device::fits_plus_32<Op, T, U>, device::plus_32, Op>;
  cuda_plan result;
  if (n == 0) return result;
  using source = device::element_source<T, T const*, as_is, combines, false>;
  device::with_scan_plan<source, U>(n, true, true, device,
                                    [&](auto, auto, cuda_plan const& plan) { result = plan; });
  return result;
}

/// transform_reduce that leaves the result on the device: *out = finish(initial op f(x[0]) op ...),
/// once the stream gets there. `out` points to device memory, or to pinned memory of the host.
/// Throws as transform_reduce does, and cuda_error.
template <elements In, class R, class F, class Op = plus>
void transform_reduce_into(cuda const& on, In const& in, R* out, F const& f, Op const& op = {},
                           options<accumulator_over<Op, In const, F>> const& o = {}) {
  using A = accumulator_over<Op, In const, F>;
  static_assert(
      !device::refuses<Op, A>,
      "upsweep::cuda: a checked operator has to tell the host what it refuses; use reduce");
  float_environment const ieee;
  std::size_t const n = std::ranges::size(in);
  if (n == 0) {
    R const nothing = static_cast<R>(upsweep::finished(op, upsweep::nothing(op, o)));
    return device::store_value(on, out, nothing);
  }
  device::finished_result<R, A, Op> const result{out, o.initial ? *o.initial : A{},
                                                 o.initial.has_value()};
  using It = decltype(std::ranges::begin(in));
  if (o.reverse)
    device::enqueue_reduce(on, source<It, F, Op, true>(std::ranges::begin(in), n, f, op), n, op,
                           result);
  else
    device::enqueue_reduce(on, source<It, F, Op, false>(std::ranges::begin(in), n, f, op), n, op,
                           result);
}

/// reduce that leaves the result on the device.
template <elements In, class R, class Op = plus>
void reduce_into(cuda const& on, In const& in, R* out, Op const& op = {},
                 options<accumulator_over<Op, In const>> const& o = {}) {
  upsweep::transform_reduce_into(on, in, out, as_is{}, op, o);
}

}  // namespace upsweep
