/// Sums of floating-point numbers.
#include <cuda_bf16.h>

#include <bench/gpu/kind.cuh>
#include <cuda/std/complex>

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

namespace upsweep::bench {
namespace {

struct f32 : sums<float> {
  static constexpr auto type = bench::element::f32;
  static constexpr bool compares_look_backs = true, comes_in_chunks = true;
};
struct f64 : sums<double> {
  static constexpr auto type = bench::element::f64;
  static constexpr bool compares_look_backs = true, comes_in_chunks = true;
};
/// Upsweep adds bfloat16 in float, so CUB does too.
struct bf16 : sums<bfloat16, __nv_bfloat16, float, ::cuda::std::plus<float>> {
  static constexpr auto type = bench::element::bf16;
  static float cub_identity() { return 0; }
};
struct c64 : sums<::cuda::std::complex<float>> {
  static constexpr auto type = bench::element::complex_f32;
  __device__ static element element_from(std::uint32_t bits) {
    return {static_cast<float>(small_integer(bits)), static_cast<float>(small_integer(bits >> 8))};
  }
};

/// The exact sum. For these data CUB's rounded sum is the same.
template <class T>
struct exact : sums<T> {
  using op = exact_sum;
  static constexpr operation combined_by = operation::exact_sum;
};
struct exact_f32 : exact<float> {
  static constexpr auto type = bench::element::f32;
};
struct exact_f64 : exact<double> {
  static constexpr auto type = bench::element::f64;
};

}  // namespace

void add_floats(std::vector<element_kind>& to) {
  to.push_back(kind_for<f32>());
  to.push_back(kind_for<f64>());
  to.push_back(kind_for<bf16>());
  to.push_back(kind_for<c64>());
  to.push_back(kind_for<exact_f32>());
  to.push_back(kind_for<exact_f64>());
}

}  // namespace upsweep::bench
