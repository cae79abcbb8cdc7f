/// The compiled sums and running sums of segments.
#pragma once

#include <upsweep/cuda/segments/launch.cuh>

#include <cstdint>

/// `declare` is `extern`, or nothing; O is the type of offsets.
#define UPSWEEP_CUDA_REDUCE_SEGMENTS(declare, T, U, O)                                          \
  static_assert(compiled_reduce_segments<call_of_sums<T>, O const*, sums_in<U>>);               \
  declare template void reduce_segments_on(gpu const&, call_of_sums<T> const&, O const* const&, \
                                           std::size_t, sums_in<U> const&);
#define UPSWEEP_CUDA_SCAN_SEGMENTS(declare, kind, T, O)                            \
  static_assert(compiled_scan_segments<call_of_sums<T>, O const*, sums_in<T>>);    \
  declare template void scan_segments_on<kind>(gpu const&, call_of_sums<T> const&, \
                                               O const* const&, std::size_t, sums_in<T> const&);
#define UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, T, O)              \
  UPSWEEP_CUDA_REDUCE_SEGMENTS(declare, T, T, O)                  \
  UPSWEEP_CUDA_SCAN_SEGMENTS(declare, scan_kind::inclusive, T, O) \
  UPSWEEP_CUDA_SCAN_SEGMENTS(declare, scan_kind::exclusive, T, O)

#define UPSWEEP_CUDA_SEGMENTS(declare, O)                              \
  UPSWEEP_CUDA_REDUCE_SEGMENTS(declare, std::int32_t, std::int64_t, O) \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, std::int32_t, O)              \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, std::int64_t, O)              \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, float, O)                     \
  UPSWEEP_CUDA_SUMS_OF_SEGMENTS(declare, double, O)

namespace upsweep::device {

template <class T>
using call_of_sums = call<source<T const*, detail::as_is, plus, false>, plus>;
template <class T>
using sums_in = sink<T*, plus, false>;

UPSWEEP_CUDA_SEGMENTS(extern, std::uint32_t)
UPSWEEP_CUDA_SEGMENTS(extern, std::uint64_t)

}  // namespace upsweep::device
