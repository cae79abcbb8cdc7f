/// The precompiled sorts of the library. In files that nvcc compiles they are extern templates, so
/// that these files do not compile their kernels again.
#pragma once

#include <upsweep/cuda/sort/launch.cuh>

#include <cstdint>

#define UPSWEEP_CUDA_SORTS_BY(declare, T, Less)                                                   \
  declare template void sort_on(gpu const&, T*, std::size_t, Less const&);                        \
  declare template void sort_by_key_on(gpu const&, T*, std::uint32_t*, std::size_t, Less const&); \
  declare template void sort_by_key_on(gpu const&, T*, std::uint64_t*, std::size_t, Less const&); \
  declare template void argsort_on(gpu const&, T const* const&, std::size_t,                      \
                                   std::uint32_t* const&, Less const&);                           \
  declare template void argsort_on(gpu const&, T const* const&, std::size_t,                      \
                                   std::uint64_t* const&, Less const&);                           \
  declare template void sort_first_on(gpu const&, T const*, T*, std::size_t, std::size_t,         \
                                      Less const&);
/// The sorts of numbers of type T. `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_SORTS(declare, T)         \
  UPSWEEP_CUDA_SORTS_BY(declare, T, ascending) \
  UPSWEEP_CUDA_SORTS_BY(declare, T, descending)
#define UPSWEEP_CUDA_SORT_BY_BINS(declare, Key, V)                                      \
  declare template void radix_sort_pairs_to(gpu const&, Key const*, Key*, V const*, V*, \
                                            std::size_t, unsigned);
/// The sorts of weights of 4 and 8 bytes by their bins.
#define UPSWEEP_CUDA_SORTS_BY_BINS(declare)                        \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint16_t, std::uint32_t) \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint16_t, std::uint64_t) \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint32_t, std::uint32_t) \
  UPSWEEP_CUDA_SORT_BY_BINS(declare, std::uint32_t, std::uint64_t)

namespace upsweep::device {

UPSWEEP_CUDA_SORTS(extern, std::int32_t)
UPSWEEP_CUDA_SORTS(extern, std::uint32_t)
UPSWEEP_CUDA_SORTS(extern, std::int64_t)
UPSWEEP_CUDA_SORTS(extern, std::uint64_t)
UPSWEEP_CUDA_SORTS(extern, float)
UPSWEEP_CUDA_SORTS(extern, double)
UPSWEEP_CUDA_SORTS_BY_BINS(extern)

}  // namespace upsweep::device
