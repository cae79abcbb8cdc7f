/// Functions of each element on a GPU, compiled in the library, in the one implementation of
/// core/portable_math.hpp.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

using host::simd::element_function;

/// out[i] = function(x[i]) of float or double; float is computed in double and rounded once. out
/// may be x.
void elementwise_on(gpu const& on, element_function function, float const* x, float* out,
                    std::size_t n);
void elementwise_on(gpu const& on, element_function function, double const* x, double* out,
                    std::size_t n);

/// out[i] = x[i] y[i] of a type of recurrences. Elements of 16 bits are multiplied in float, and
/// each operation of complex numbers is rounded.
void multiply_on(gpu const& on, host::simd::lane_type type, void const* x, void const* y, void* out,
                 std::size_t n);
/// Elements of 16 bits as floats, and back.
void widen_on(gpu const& on, host::simd::lane_type type, void const* x, float* out, std::size_t n);
void narrow_on(gpu const& on, host::simd::lane_type type, float const* x, void* out, std::size_t n);

/// out[i] = row index[i] of x, whose rows have `bytes` bytes. Wrong indices are undefined.
struct taken_rows {
  void const* x;
  std::int64_t const* index;
  std::size_t count, bytes;
  void* out;
};
void take_rows_on(gpu const& on, taken_rows const& call);

/// Logarithms of running sums of exponentials of lines one after another, from their ends if
/// `reverse`. With the running maxima m, a sum of e^(x - m) is s[i] = a[i] s[i - 1] + b[i] with
/// these a = e^(m[i - 1] - m[i]) and b = e^(x[i] - m[i]), and the result is m + log(s).
struct running_logarithms {
  bool wide;  ///< elements are double; otherwise float
  std::size_t count, size;
  bool reverse;
  void const* maxima;
};
void log_terms_on(gpu const& on, running_logarithms const& call, void const* x, double* a,
                  double* b);
void log_results_on(gpu const& on, running_logarithms const& call, double const* sums, void* out);

}  // namespace upsweep::device
