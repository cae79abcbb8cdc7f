/// The precompiled calls of the library, family by family. In files that nvcc compiles they are
/// extern templates, so that these files do not compile their kernels again.
#pragma once

#include <upsweep/cuda/on_gpu.hpp>
#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/scan/launch.cuh>

#include <cstddef>
#include <cstdint>

#define UPSWEEP_CUDA_ARITHMETIC_INTEGER_SUMS(pair)                            \
  pair(plus, std::int32_t) pair(plus, std::uint32_t) pair(plus, std::int64_t) \
      pair(plus, std::uint64_t)
#define UPSWEEP_CUDA_ARITHMETIC_NARROW_SUMS(pair)                           \
  pair(plus, std::int8_t) pair(plus, std::uint8_t) pair(plus, std::int16_t) \
      pair(plus, std::uint16_t)
#define UPSWEEP_CUDA_ARITHMETIC_FLOAT_SUMS(pair) \
  pair(plus, bfloat16) pair(plus, float) pair(plus, double)
#define UPSWEEP_CUDA_ARITHMETIC_PRODUCTS(pair)                                          \
  pair(multiplies, std::int32_t) pair(multiplies, std::int64_t) pair(multiplies, float) \
      pair(multiplies, double)
#define UPSWEEP_CUDA_MIN_MAX_MINIMA(pair) \
  pair(min, std::int32_t) pair(min, std::int64_t) pair(min, float) pair(min, double)
#define UPSWEEP_CUDA_MIN_MAX_MAXIMA(pair) \
  pair(max, std::int32_t) pair(max, std::int64_t) pair(max, float) pair(max, double)
#define UPSWEEP_CUDA_AFFINE(pair) pair(affine, affine_map<float>) pair(affine, affine_map<double>)

/// All pairs that are precompiled.
#define UPSWEEP_CUDA_PAIRS(pair)             \
  UPSWEEP_CUDA_ARITHMETIC_INTEGER_SUMS(pair) \
  UPSWEEP_CUDA_ARITHMETIC_NARROW_SUMS(pair)  \
  UPSWEEP_CUDA_ARITHMETIC_FLOAT_SUMS(pair)   \
  UPSWEEP_CUDA_ARITHMETIC_PRODUCTS(pair)     \
  UPSWEEP_CUDA_MIN_MAX_MINIMA(pair)          \
  UPSWEEP_CUDA_MIN_MAX_MAXIMA(pair)          \
  UPSWEEP_CUDA_AFFINE(pair)

/// The functions of one pair, in one direction. `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_CALLS(declare, Op, T, reversed)                                             \
  declare template accumulator_t<Op, T> reduce_on(                                               \
      gpu const&, source<T const*, detail::as_is, Op, reversed> const&, std::size_t, Op const&); \
  declare template void reduce_into_on(                                                          \
      gpu const&, source<T const*, detail::as_is, Op, reversed> const&, std::size_t, Op const&,  \
      accumulator_t<Op, T>*, accumulator_t<Op, T> const*);                                       \
  declare template void scan_on<scan_kind::inclusive>(                                           \
      gpu const&, source<T const*, detail::as_is, Op, reversed> const&,                          \
      sink<T*, Op, reversed> const&, std::size_t, Op const&, accumulator_t<Op, T> const*,        \
      accumulator_t<Op, T> const*);                                                              \
  declare template void scan_on<scan_kind::exclusive>(                                           \
      gpu const&, source<T const*, detail::as_is, Op, reversed> const&,                          \
      sink<T*, Op, reversed> const&, std::size_t, Op const&, accumulator_t<Op, T> const*,        \
      accumulator_t<Op, T> const*);
#define UPSWEEP_CUDA_DECLARE(Op, T)                                     \
  static_assert(dynamic::is_compiled<dynamic::target::gpu, Op, T> &&    \
                std::is_same_v<accumulator_t<Op, T>, result_t<Op, T>>); \
  UPSWEEP_CUDA_CALLS(extern, Op, T, false) UPSWEEP_CUDA_CALLS(extern, Op, T, true)
/// The instantiation of a pair, for the sources that CMake writes.
#define UPSWEEP_CUDA_COMPILE(Op, T) \
  UPSWEEP_CUDA_CALLS(, Op, T, false) UPSWEEP_CUDA_CALLS(, Op, T, true)

namespace upsweep::device {

UPSWEEP_CUDA_PAIRS(UPSWEEP_CUDA_DECLARE)

// The declarations above must be the list of names/compiled.hpp: each is in it, and their numbers
// agree.
#define UPSWEEP_CUDA_ONE_MORE(Op, T) +1
template <class... Op>
inline constexpr std::size_t pairs_of = (dynamic::types_for<dynamic::target::gpu, Op>::size + ...);
static_assert(pairs_of<plus, multiplies, min, max, affine> ==
              0 UPSWEEP_CUDA_PAIRS(UPSWEEP_CUDA_ONE_MORE));
#undef UPSWEEP_CUDA_ONE_MORE

}  // namespace upsweep::device
