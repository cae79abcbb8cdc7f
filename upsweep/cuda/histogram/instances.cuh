/// The compiled histograms.
#pragma once

#include <upsweep/cuda/histogram/launch.cuh>

#include <cstdint>

/// `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_HISTOGRAM(declare, T, U, Levels)                                    \
  static_assert(compiled_histogram<T const*, U*, Levels>);                               \
  declare template outside_counts histogram_on(gpu const&, T const* const&, std::size_t, \
                                               U* const&, std::size_t, Levels const&,    \
                                               histogram_options const&);
#define UPSWEEP_CUDA_HISTOGRAMS_OF(declare, T, U)            \
  UPSWEEP_CUDA_HISTOGRAM(declare, T, U, detail::even_levels) \
  UPSWEEP_CUDA_HISTOGRAM(declare, T, U, std::vector<double>)
#define UPSWEEP_CUDA_COUNT_INDICES(declare, T, U)                                             \
  static_assert(compiled_count_indices<T const*, U*>);                                        \
  declare template void count_indices_on(gpu const&, T const* const&, std::size_t, U* const&, \
                                         std::size_t);

/// Those with counts of type U.
#define UPSWEEP_CUDA_HISTOGRAMS(declare, U)             \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, std::uint8_t, U)  \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, std::int32_t, U)  \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, float, U)         \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, double, U)        \
  UPSWEEP_CUDA_COUNT_INDICES(declare, std::int32_t, U)  \
  UPSWEEP_CUDA_COUNT_INDICES(declare, std::uint32_t, U) \
  UPSWEEP_CUDA_COUNT_INDICES(declare, std::int64_t, U)

namespace upsweep::device {

UPSWEEP_CUDA_HISTOGRAMS(extern, std::uint32_t)
UPSWEEP_CUDA_HISTOGRAMS(extern, std::uint64_t)

}  // namespace upsweep::device
