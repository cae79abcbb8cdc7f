/// The kernels of windows: totals combined by sums and extrema, and numbers as integers of the same
/// order.
#pragma once

#include <upsweep/core/export.h>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

struct UPSWEEP_API window_kernels {
  /// Values in the memory of a call; elements of which all calls but the last have a multiple.
  static constexpr std::size_t window_room(std::size_t width) {
    return width + 768 + 160 * static_cast<std::size_t>(std::bit_width(width));
  }
  static constexpr std::size_t window_step = 64;

  /// Stores the sums of the windows of `width` elements that end in x[0], ..., x[n - 1], of those
  /// that have all of their elements. x[0] is element `at` of elements that come in order; all
  /// calls but the last have a multiple of window_step of them. `memory` has window_room(width)
  /// values, 0 at first. `to` is other memory than x. Integers wrap.
  static void add(std::int32_t const* x, std::size_t n, std::size_t at, std::size_t width,
                  std::int32_t* memory, std::int32_t* to);
  static void add(std::int64_t const* x, std::size_t n, std::size_t at, std::size_t width,
                  std::int64_t* memory, std::int64_t* to);
  static void add(float const* x, std::size_t n, std::size_t at, std::size_t width, float* memory,
                  float* to);
  static void add(double const* x, std::size_t n, std::size_t at, std::size_t width, double* memory,
                  double* to);
  /// The same with the smaller instead of the sum, and with the larger.
  static void smaller(std::int32_t const* x, std::size_t n, std::size_t at, std::size_t width,
                      std::int32_t* memory, std::int32_t* to);
  static void smaller(std::int64_t const* x, std::size_t n, std::size_t at, std::size_t width,
                      std::int64_t* memory, std::int64_t* to);
  static void larger(std::int32_t const* x, std::size_t n, std::size_t at, std::size_t width,
                     std::int32_t* memory, std::int32_t* to);
  static void larger(std::int64_t const* x, std::size_t n, std::size_t at, std::size_t width,
                     std::int64_t* memory, std::int64_t* to);

  /// Integers that have the order of the numbers, -0 below 0, with that of `nan` for each NaN.
  static void order(float const* x, std::size_t n, std::int32_t* to, float nan);
  static void order(double const* x, std::size_t n, std::int64_t* to, double nan);
  /// The numbers that have these integers.
  static void numbers(std::int32_t const* keys, std::size_t n, float* to);
  static void numbers(std::int64_t const* keys, std::size_t n, double* to);
};

}  // namespace upsweep::host::simd
