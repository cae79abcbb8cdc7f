/// The kernels of windows: totals combined by sums and extrema, and numbers as integers of the same
/// order.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

struct UPSWEEP_API window_kernels {
  /// to[i] = a[i] + b[i], and that plus c[i] + d[i] unless c is null, for i < n; `to` is other
  /// memory. Integers wrap.
  static void add(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                  std::int32_t const* d, std::int32_t* to, std::size_t n);
  static void add(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                  std::int64_t const* d, std::int64_t* to, std::size_t n);
  static void add(float const* a, float const* b, float const* c, float const* d, float* to,
                  std::size_t n);
  static void add(double const* a, double const* b, double const* c, double const* d, double* to,
                  std::size_t n);
  /// The same with the smaller instead of the sum, and with the larger.
  static void smaller(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                      std::int32_t const* d, std::int32_t* to, std::size_t n);
  static void smaller(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                      std::int64_t const* d, std::int64_t* to, std::size_t n);
  static void larger(std::int32_t const* a, std::int32_t const* b, std::int32_t const* c,
                     std::int32_t const* d, std::int32_t* to, std::size_t n);
  static void larger(std::int64_t const* a, std::int64_t const* b, std::int64_t const* c,
                     std::int64_t const* d, std::int64_t* to, std::size_t n);

  /// Integers that have the order of the numbers, -0 below 0, with that of `nan` for each NaN.
  static void order(float const* x, std::size_t n, std::int32_t* to, float nan);
  static void order(double const* x, std::size_t n, std::int64_t* to, double nan);
  /// The numbers that have these integers.
  static void numbers(std::int32_t const* keys, std::size_t n, float* to);
  static void numbers(std::int64_t const* keys, std::size_t n, double* to);
};

}  // namespace upsweep::host::simd
