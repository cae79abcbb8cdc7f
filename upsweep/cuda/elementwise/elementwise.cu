/// A function of each element, with the bits of the CPU: all operations are IEEE's, in double.
/// One read and one store of each element · 1 launch
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/device/exponential.hpp>
#include <upsweep/cuda/elementwise/on_gpu.hpp>
#include <upsweep/cuda/launch.cuh>

#include <cstddef>

namespace upsweep::device {
namespace {

constexpr unsigned element_threads = 256;

template <class T, element_function function>
__global__ void __launch_bounds__(element_threads) map_elements(T const* x, T* out, std::size_t n) {
  using enum element_function;
  wait_for_earlier_work();
  std::size_t const step = std::size_t{gridDim.x} * element_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * element_threads + threadIdx.x; i < n; i += step) {
    T const value = x[i];
    out[i] = function == exp        ? exponential(value)
             : function == log      ? upsweep::detail::portable::log(value)
             : function == softplus ? softplus_of(value)
                                    : logistic_of(value);
  }
}

template <class T, element_function function>
void launch_map(gpu const& on, T const* x, T* out, std::size_t n) {
  if (n == 0) return;
  cuda_device const device = device_of(on);
  std::size_t const blocks = divide_up(n, element_threads),
                    most = 8 * static_cast<std::size_t>(device.multiprocessors);
  cuda_plan const plan{.algorithm = cuda_algorithm::map_elements,
                       .tile = element_threads,
                       .blocks = blocks < most ? blocks : most,
                       .threads = element_threads,
                       .launches = 1,
                       .traffic_bytes = 2 * n * sizeof(T)};
  launch<map_elements<T, function>>(plan, on, device, x, out, n);
}

template <class T>
void pick_function(gpu const& on, element_function function, T const* x, T* out, std::size_t n) {
  using enum element_function;
  switch (function) {
    case exp:
      return launch_map<T, exp>(on, x, out, n);
    case log:
      return launch_map<T, log>(on, x, out, n);
    case softplus:
      return launch_map<T, softplus>(on, x, out, n);
    case logistic:
      return launch_map<T, logistic>(on, x, out, n);
  }
}

}  // namespace

void elementwise_on(gpu const& on, element_function function, float const* x, float* out,
                    std::size_t n) {
  pick_function(on, function, x, out, n);
}
void elementwise_on(gpu const& on, element_function function, double const* x, double* out,
                    std::size_t n) {
  pick_function(on, function, x, out, n);
}

}  // namespace upsweep::device
