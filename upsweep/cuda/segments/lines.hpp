/// Contiguous lines of one length as segments, whose borders need no memory: sums, scans, and
/// logarithms of sums of exponentials with the bits of core/log_of_sum.hpp. One read of each
/// element, one store of each result · 1 launch, 2 for logarithms docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/core/log_of_sum.hpp>
#include <upsweep/core/quick_functions.hpp>
#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::device {

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
    return combined(earlier, later, detail::portable::powers_for_exp());
  }
  /// The same with a table for exponentials.
  __device__ static A combined(A const& earlier, A const& later, std::uint64_t const* powers) {
    bool const swapped = later.largest > earlier.largest;
    T const largest = larger_or_nan(earlier.largest, later.largest),
            distance = earlier.largest - later.largest,
            of_largest = swapped ? later.sum : earlier.sum,
            of_least = swapped ? earlier.sum : later.sum;
    return {largest, of_largest + detail::product(of_least, fall(-std::fabs(distance), powers))};
  }

 private:
  __device__ static float fall(float x, std::uint64_t const* powers) {
    return detail::portable::quick_exp(x, powers);
  }
  __device__ static double fall(double x,
                                std::uint64_t const*) {  // of NaN, as of two infinite exponents, 0
    return detail::portable::exp(x > -746 ? x : -746.0);
  }
  __device__ static float larger_or_nan(float x, float y) {
#ifdef __NVCC__
    float larger;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
    return larger;
#else
    return x > y || x != x ? x : y;
#endif
  }
  __device__ static double larger_or_nan(double x, double y) { return x > y || x != x ? x : y; }
};

/// What elements are combined as: those of 16 bits as float.
template <class E>
using log_sum_number = std::conditional_t<sizeof(E) == 2, float, E>;

template <class T, class Op>
struct line_results {
  T* out;
  Op op;

  template <class A>
  __device__ void operator()(std::size_t k, A const& total) const {
    out[k] = detail::finish(op, total);
  }
};

/// The largest of numbers, or the smallest, as integers in their order, so that one kernel serves
/// all types of a size: -0 comes before +0, and NaN last, also of the smallest.
template <class W>
struct extremum_of_words {
  static constexpr bool commutative = true, exact = true;
  template <class>
  using accumulator = W;
  using bits = std::make_unsigned_t<W>;

  bits magnitude;  ///< what negative floats invert; of integers 0
  bits turned;     ///< what all keys invert: all bits for the smallest
  bits nans;       ///< of either sign: those that sort first wrap around

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return std::numeric_limits<A>::min();
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr W lift(W x) const {
    return static_cast<W>((in_order(x) ^ turned) - nans);
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr W operator()(W earlier, W later) const {
    return later > earlier ? later : earlier;
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr W finish(W key) const {
    bits const x = (static_cast<bits>(key) + nans) ^ turned;
    return static_cast<W>(in_order(static_cast<W>(x)));
  }

 private:
  /// Its own inverse.
  [[nodiscard]] UPSWEEP_BOTH constexpr bits in_order(W x) const {
    return static_cast<bits>(x) ^ (x < 0 ? magnitude : bits{});
  }
};
template <class W>
inline constexpr bool has_neutral<extremum_of_words<W>, W> = true;

template <class T>
using ordered_word = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// The operator for elements of type T as words.
template <class T>
[[nodiscard]] constexpr extremum_of_words<ordered_word<T>> extremum_of(bool is_smallest) {
  using op = extremum_of_words<ordered_word<T>>;
  using bits = typename op::bits;
  static_assert(sizeof(T) == sizeof(bits) && std::is_signed_v<T>);
  op result{0, is_smallest ? static_cast<bits>(-1) : bits{}, 0};
  if constexpr (std::is_floating_point_v<T>) {
    result.magnitude = static_cast<bits>(-1) >> 1;
    result.nans = result.magnitude - std::bit_cast<bits>(std::numeric_limits<T>::infinity());
  }
  return result;
}

/// Elements from the last one on.
template <class T>
struct reversed_memory {
  T* last;

  __device__ T& operator[](std::size_t i) const { return last[-static_cast<std::ptrdiff_t>(i)]; }
};
template <class Out>
struct line_prefixes {
  Out first;
};

inline constexpr unsigned near_threads = 256;

/// The position of the largest element of a line, in every thread; of one of them if there are
/// several, with which no result is near 0.
template <class E>
__device__ std::size_t find_largest(E const* x, std::size_t size) {
  using T = log_sum_number<E>;
  auto const is_larger = [x](std::size_t i, std::size_t k) {
    return static_cast<T>(x[i]) > static_cast<T>(x[k]);
  };
  __shared__ std::size_t positions[near_threads];
  unsigned const t = threadIdx.x;
  std::size_t at = t < size ? t : 0;
  for (std::size_t i = t; i < size; i += near_threads)
    if (is_larger(i, at)) at = i;
  positions[t] = at;
  __syncthreads();  // each thread's largest element is there
  for (unsigned half = near_threads / 2; half > 0; half /= 2) {
    if (t < half && is_larger(positions[t + half], positions[t]))
      positions[t] = positions[t + half];
    __syncthreads();  // the first `half` have the largest element of all
  }
  std::size_t const found = positions[0];
  __syncthreads();  // nobody reads this line's positions any more
  return found;
}

/// Stores the results near 0 again, as log_of_sum() computes them: the threads of a block compute
/// exponentials, and one adds them, in their order.
template <class E>
__global__ void __launch_bounds__(near_threads)
    log_sums_near_zero(E const* x, std::size_t count, std::size_t size, log_sum_number<E>* out) {
  using T = log_sum_number<E>;
  using detail::two_doubles;
  __shared__ double high[near_threads], low[near_threads];
  wait_for_earlier_work();
  for (std::size_t k = blockIdx.x; k < count; k += gridDim.x) {
    if (!detail::is_near_zero(out[k])) continue;
    E const* const line = x + k * size;
    std::size_t const largest = find_largest(line, size);
    if (!detail::has_one_near_1(static_cast<T>(line[largest]))) continue;
    two_doubles sum = detail::exponential(static_cast<double>(static_cast<T>(line[largest])), true);
    for (std::size_t first = 0; first < size; first += near_threads) {
      std::size_t const mine = first + threadIdx.x;
      if (mine < size) {
        two_doubles const e =
            detail::exponential(static_cast<double>(static_cast<T>(line[mine])), false);
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

}  // namespace upsweep::device
