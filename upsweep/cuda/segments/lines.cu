/// Reductions of contiguous lines of one length as segments, whose borders need no memory: sums,
/// and logarithms of sums of exponentials with the bits of core/log_of_sum.hpp. One read of each
/// element, one store of each result · 1 launch, 2 for logarithms
#include <upsweep/core/log_of_sum.hpp>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/segments/on_gpu.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

#include <cstddef>

namespace upsweep::device {
namespace {

struct line_borders {
  std::size_t size;

  __device__ std::size_t operator()(std::size_t k, std::size_t) const { return k * size; }
};

/// log_sum_exp by one exponential, without branches between the two orders. Where an exponent is
/// infinite or NaN, sums differ from those of log_sum_exp, but no result depends on it.
template <class T>
struct log_sums_of : log_sum_exp {
  using A = detail::scaled_exponentials<T>;

  __device__ A operator()(A const& earlier, A const& later) const {
    bool const swapped = later.largest > earlier.largest;
    T const largest = larger_or_nan(earlier.largest, later.largest),
            least = swapped ? earlier.largest : later.largest,
            of_largest = swapped ? later.sum : earlier.sum,
            of_least = swapped ? earlier.sum : later.sum;
    return {largest, of_largest + detail::product(of_least, fall(least - largest))};
  }

 private:
  __device__ static float fall(float x) { return detail::portable::quick_exp(x); }
  __device__ static double fall(double x) {  // of NaN, as of two infinite exponents, 0
    return detail::portable::exp(x > -746 ? x : -746.0);
  }
  __device__ static float larger_or_nan(float x, float y) {
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
    return larger;
  }
  __device__ static double larger_or_nan(double x, double y) { return x > y || x != x ? x : y; }
};

template <class T, class Op>
struct line_results {
  T* out;
  Op op;

  template <class A>
  __device__ void operator()(std::size_t k, A const& total) const {
    out[k] = detail::finish(op, total);
  }
};

template <class T, class Op>
void reduce_lines_as_segments(gpu const& on, T const* x, std::size_t count, std::size_t size,
                              Op const& op, T* out) {
  using A = accumulator_t<Op, T>;
  A const none = identity_of<A>(op);
  segment_results<A, Op, line_results<T, Op>> const results{op, {out, op}, none, none, false, true};
  enqueue_reductions<A>(on, x, segment_call{{count * size, nullptr}, {count, nullptr}},
                        line_borders{size}, results);
}

constexpr unsigned near_threads = 256;

/// The first of the largest elements of a line, in every thread.
template <class T>
__device__ std::size_t find_largest(T const* x, std::size_t size) {
  __shared__ T values[near_threads];
  __shared__ std::size_t positions[near_threads];
  unsigned const t = threadIdx.x;
  std::size_t at = t < size ? t : 0;
  for (std::size_t i = t; i < size; i += near_threads)
    if (x[i] > x[at]) at = i;
  values[t] = x[at];
  positions[t] = at;
  __syncthreads();  // each thread's first largest element is there
  for (unsigned half = near_threads / 2; half > 0; half /= 2) {
    if (t < half && (values[t + half] > values[t] ||
                     (values[t + half] == values[t] && positions[t + half] < positions[t]))) {
      values[t] = values[t + half];
      positions[t] = positions[t + half];
    }
    __syncthreads();  // the first `half` have the first largest element of all
  }
  std::size_t const found = positions[0];
  __syncthreads();  // nobody reads this line's positions any more
  return found;
}

/// Stores the results near 0 again, as log_of_sum() computes them: the threads of a block compute
/// exponentials, and one adds them, in their order.
template <class T>
__global__ void __launch_bounds__(near_threads)
    log_sums_near_zero(T const* x, std::size_t count, std::size_t size, T* out) {
  using detail::two_doubles;
  __shared__ double high[near_threads], low[near_threads];
  wait_for_earlier_work();
  for (std::size_t k = blockIdx.x; k < count; k += gridDim.x) {
    if (!detail::is_near_zero(out[k])) continue;
    T const* const line = x + k * size;
    std::size_t const largest = find_largest(line, size);
    if (!detail::has_one_near_1(line[largest])) continue;
    two_doubles sum = detail::exponential(static_cast<double>(line[largest]), true);
    for (std::size_t first = 0; first < size; first += near_threads) {
      std::size_t const mine = first + threadIdx.x;
      if (mine < size) {
        two_doubles const e = detail::exponential(static_cast<double>(line[mine]), false);
        high[threadIdx.x] = e.high;
        low[threadIdx.x] = e.low;
      }
      __syncthreads();  // the exponentials of these elements are there
      if (threadIdx.x == 0)
        for (std::size_t i = first; i < size && i < first + near_threads; ++i)
          if (i != largest) sum = sum + two_doubles{high[i - first], low[i - first]};
      __syncthreads();  // nobody reads them any more
    }
    if (threadIdx.x == 0) out[k] = static_cast<T>(detail::log_of_one_and(sum));
  }
}

template <class T>
void log_sums(gpu const& on, T const* x, std::size_t count, std::size_t size, T* out) {
  if (count == 0) return;
  reduce_lines_as_segments(on, x, count, size, log_sums_of<T>{}, out);
  if (size == 0) return;
  cuda_device const device = device_of(on);
  std::size_t const most = 4 * static_cast<std::size_t>(device.multiprocessors);
  cuda_plan const plan{.algorithm = cuda_algorithm::log_sums_near_zero,
                       .tile = near_threads,
                       .blocks = detail::at_most(count, most),
                       .threads = near_threads,
                       .launches = 1,
                       .traffic_bytes = count * sizeof(T)};
  launch<log_sums_near_zero<T>>(plan, on, device, x, count, size, out);
}

}  // namespace

void sum_lines_on(gpu const& on, float const* x, std::size_t count, std::size_t size, float* out) {
  if (count > 0) reduce_lines_as_segments(on, x, count, size, plus{}, out);
}
void sum_lines_on(gpu const& on, double const* x, std::size_t count, std::size_t size,
                  double* out) {
  if (count > 0) reduce_lines_as_segments(on, x, count, size, plus{}, out);
}
void log_sum_lines_on(gpu const& on, float const* x, std::size_t count, std::size_t size,
                      float* out) {
  log_sums(on, x, count, size, out);
}
void log_sum_lines_on(gpu const& on, double const* x, std::size_t count, std::size_t size,
                      double* out) {
  log_sums(on, x, count, size, out);
}

}  // namespace upsweep::device
