/// Functions of each element, with the bits of the CPU: all operations are IEEE's.
/// One read of each operand, one store of each result · 1 launch
#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/device/exponential.hpp>
#include <upsweep/cuda/device/quotient.hpp>
#include <upsweep/cuda/elementwise/on_gpu.hpp>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/real_types.cuh>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace upsweep::device {
namespace {

constexpr unsigned element_threads = 256;

/// f(i) for each i < n.
template <class F>
__global__ void __launch_bounds__(element_threads) map_elements(F f, std::size_t n) {
  wait_for_earlier_work();
  std::size_t const step = std::size_t{gridDim.x} * element_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * element_threads + threadIdx.x; i < n; i += step)
    f(i);
}

/// `bytes`: of what is read and stored for an element.
template <class F>
void launch_map(gpu const& on, F const& f, std::size_t n, std::size_t bytes) {
  if (n == 0) return;
  cuda_device const device = device_of(on);
  std::size_t const blocks = divide_up(n, element_threads),
                    most = 8 * static_cast<std::size_t>(device.multiprocessors);
  cuda_plan const plan{.algorithm = cuda_algorithm::map_elements,
                       .tile = element_threads,
                       .blocks = blocks < most ? blocks : most,
                       .threads = element_threads,
                       .launches = 1,
                       .traffic_bytes = n * bytes};
  launch<map_elements<F>>(plan, on, device, f, n);
}

template <class T, element_function function>
struct function_of {
  T const* x;
  T* out;

  __device__ void operator()(std::size_t i) const {
    using enum element_function;
    T const value = x[i];
    out[i] = function == exp        ? exponential(value)
             : function == log      ? upsweep::detail::portable::log(value)
             : function == softplus ? softplus_of(value)
                                    : logistic_of(value);
  }
};
template <class T>
void pick_function(gpu const& on, element_function function, T const* x, T* out, std::size_t n) {
  using enum element_function;
  switch (function) {
    case exp:
      return launch_map(on, function_of<T, exp>{x, out}, n, 2 * sizeof(T));
    case log:
      return launch_map(on, function_of<T, log>{x, out}, n, 2 * sizeof(T));
    case softplus:
      return launch_map(on, function_of<T, softplus>{x, out}, n, 2 * sizeof(T));
    case logistic:
      return launch_map(on, function_of<T, logistic>{x, out}, n, 2 * sizeof(T));
  }
}

/// Of elements E, multiplied as numbers N.
template <class E, class N>
struct product_of {
  E const *x, *y;
  E* out;

  __device__ void operator()(std::size_t i) const {
    out[i] = static_cast<E>(upsweep::detail::product(static_cast<N>(x[i]), static_cast<N>(y[i])));
  }
};
template <class T>
struct complex_pair {
  alignas(2 * sizeof(T)) T re;
  T im;
};
template <class T>
struct product_of<complex_pair<T>, T> {
  complex_pair<T> const *x, *y;
  complex_pair<T>* out;

  __device__ void operator()(std::size_t i) const {
    using upsweep::detail::product;
    using upsweep::detail::sum;
    auto const l = x[i], r = y[i];
    out[i] = {sum(product(l.re, r.re), -product(l.im, r.im)),
              sum(product(l.re, r.im), product(l.im, r.re))};
  }
};
template <class E, class N>
void multiply(gpu const& on, void const* x, void const* y, void* out, std::size_t n) {
  launch_map(
      on,
      product_of<E, N>{static_cast<E const*>(x), static_cast<E const*>(y), static_cast<E*>(out)}, n,
      3 * sizeof(E));
}

template <class From, class To>
struct conversion {
  From const* x;
  To* out;

  __device__ void operator()(std::size_t i) const { out[i] = static_cast<To>(x[i]); }
};
/// Calls convert<E>() for the type of 16 bits.
template <class Convert>
void with_narrow(host::simd::lane_type type, Convert const& convert) {
  using enum host::simd::lane_type;
  upsweep::detail::expects(type == f16 || type == bf16, "elements have 16 bits");
  type == f16 ? convert.template operator()<__half>() : convert.template operator()<bfloat16>();
}

/// A word of a row.
template <class Word>
struct row_word {
  Word const* x;
  std::int64_t const* index;
  std::size_t words;
  Word* out;

  __device__ void operator()(std::size_t i) const {
    std::size_t const row = quotient(i, words);
    out[i] = x[static_cast<std::size_t>(index[row]) * words + (i - row * words)];
  }
};
template <class Word>
bool take_words(gpu const& on, taken_rows const& c) {
  auto const aligned = [](void const* at) {
    return reinterpret_cast<std::uintptr_t>(at) % sizeof(Word) == 0;
  };
  if (c.bytes % sizeof(Word) != 0 || !aligned(c.x) || !aligned(c.out)) return false;
  std::size_t const words = c.bytes / sizeof(Word);
  launch_map(
      on, row_word<Word>{static_cast<Word const*>(c.x), c.index, words, static_cast<Word*>(c.out)},
      c.count * words, 2 * sizeof(Word));
  return true;
}

template <class T>
struct log_term {
  static constexpr double none = -std::numeric_limits<double>::infinity();
  T const *x, *maxima;
  std::size_t size;
  bool reverse;
  double *a, *b;

  __device__ void operator()(std::size_t i) const {
    std::size_t const at = i - quotient(i, size) * size, first = reverse ? size - 1 : 0;
    double const value = x[i], m = maxima[i],
                 before = at == first ? none : maxima[reverse ? i + 1 : i - 1];
    if (before == m) {
      double const below = value == m ? 0 : value - m;  // also of infinities
      a[i] = 1;
      b[i] = m > none ? upsweep::detail::portable::exp(below) : 0;
    } else {  // a new maximum, or NaN
      a[i] = upsweep::detail::portable::exp(before - m);
      b[i] = value == m ? 1 : value - m;
    }
  }
};
template <class T>
struct log_result {
  T const* maxima;
  double const* sums;
  T* out;

  __device__ void operator()(std::size_t i) const {
    out[i] =
        static_cast<T>(static_cast<double>(maxima[i]) + upsweep::detail::portable::log(sums[i]));
  }
};

}  // namespace

void elementwise_on(gpu const& on, element_function function, float const* x, float* out,
                    std::size_t n) {
  pick_function(on, function, x, out, n);
}
void elementwise_on(gpu const& on, element_function function, double const* x, double* out,
                    std::size_t n) {
  pick_function(on, function, x, out, n);
}

void multiply_on(gpu const& on, host::simd::lane_type type, void const* x, void const* y, void* out,
                 std::size_t n) {
  if (type == host::simd::lane_type::c64)
    return multiply<complex_pair<float>, float>(on, x, y, out, n);
  if (type == host::simd::lane_type::c128)
    return multiply<complex_pair<double>, double>(on, x, y, out, n);
  with_real_type<float>(type, [&]<class E, class A> { multiply<E, A>(on, x, y, out, n); });
}

void widen_on(gpu const& on, host::simd::lane_type type, void const* x, float* out, std::size_t n) {
  with_narrow(type, [&]<class E> {
    launch_map(on, conversion<E, float>{static_cast<E const*>(x), out}, n, sizeof(E) + 4);
  });
}
void narrow_on(gpu const& on, host::simd::lane_type type, float const* x, void* out,
               std::size_t n) {
  with_narrow(type, [&]<class E> {
    launch_map(on, conversion<float, E>{x, static_cast<E*>(out)}, n, sizeof(E) + 4);
  });
}

void take_rows_on(gpu const& on, taken_rows const& c) {
  if (take_words<uint4>(on, c) || take_words<std::uint64_t>(on, c) ||
      take_words<std::uint32_t>(on, c) || take_words<std::uint16_t>(on, c))
    return;
  take_words<std::uint8_t>(on, c);
}

void log_terms_on(gpu const& on, running_logarithms const& c, void const* x, double* a, double* b) {
  auto const run = [&]<class T>(T const* values) {
    log_term<T> const f{values, static_cast<T const*>(c.maxima), c.size, c.reverse, a, b};
    launch_map(on, f, c.count * c.size, 2 * sizeof(T) + 16);
  };
  c.wide ? run(static_cast<double const*>(x)) : run(static_cast<float const*>(x));
}
void log_results_on(gpu const& on, running_logarithms const& c, double const* sums, void* out) {
  auto const run = [&]<class T>(T* results) {
    log_result<T> const f{static_cast<T const*>(c.maxima), sums, results};
    launch_map(on, f, c.count * c.size, 2 * sizeof(T) + 8);
  };
  c.wide ? run(static_cast<double*>(out)) : run(static_cast<float*>(out));
}

}  // namespace upsweep::device
