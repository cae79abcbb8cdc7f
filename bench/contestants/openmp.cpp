/// OpenMP: `parallel for simd` with a reduction, and the `scan` directive in its parallel form and
/// in its SIMD form on one thread.
#include <bench/contestants/runners.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::bench {
namespace {

using f32_map = affine_map<float>;
using f64_map = affine_map<double>;
#pragma omp declare reduction(compose:f32_map : omp_out =                       \
                                  affine_composition<float>{}(omp_out, omp_in)) \
    initializer(omp_priv = affine_composition<float>::identity())
#pragma omp declare reduction(compose:f64_map : omp_out =                        \
                                  affine_composition<double>{}(omp_out, omp_in)) \
    initializer(omp_priv = affine_composition<double>::identity())

/// The loops of one operation. OpenMP names its reductions, so each operation has a specialization.
template <class Op, class T>
struct directive;

template <class T>
struct directive<max_of<T>, T> {
  static T reduce(T const* in, std::size_t n, int threads) {
    T m = max_of<T>::identity();
#pragma omp parallel for simd num_threads(threads) reduction(max : m)
    for (std::size_t i = 0; i < n; ++i) m = m < in[i] ? in[i] : m;
    return m;
  }
  static void scan(T const* in, T* out, std::size_t n, int threads) {
    T m = max_of<T>::identity();
#pragma omp parallel for simd num_threads(threads) reduction(inscan, max : m)
    for (std::size_t i = 0; i < n; ++i) {
      m = m < in[i] ? in[i] : m;
#pragma omp scan inclusive(m)
      out[i] = m;
    }
  }
  static void simd_scan(T const* in, T* out, std::size_t n) {
    T m = max_of<T>::identity();
#pragma omp simd reduction(inscan, max : m)
    for (std::size_t i = 0; i < n; ++i) {
      m = m < in[i] ? in[i] : m;
#pragma omp scan inclusive(m)
      out[i] = m;
    }
  }
};

template <class T>
struct directive<sum_of<T>, T> {
  static auto reduce(T const* in, std::size_t n, int threads) {
    reduced<sum_of<T>, T> total{};
#pragma omp parallel for simd num_threads(threads) reduction(+ : total)
    for (std::size_t i = 0; i < n; ++i) total += in[i];
    return total;
  }
  static void scan(T const* in, T* out, std::size_t n, int threads) {
    T total{};
#pragma omp parallel for simd num_threads(threads) reduction(inscan, + : total)
    for (std::size_t i = 0; i < n; ++i) {
      total += in[i];
#pragma omp scan inclusive(total)
      out[i] = total;
    }
  }
  static void simd_scan(T const* in, T* out, std::size_t n) {
    T total{};
#pragma omp simd reduction(inscan, + : total)
    for (std::size_t i = 0; i < n; ++i) {
      total += in[i];
#pragma omp scan inclusive(total)
      out[i] = total;
    }
  }
};

template <class T>
struct directive<affine_composition<T>, affine_map<T>> {
  static void scan(affine_map<T> const* in, affine_map<T>* out, std::size_t n, int threads) {
    affine_map<T> map = affine_composition<T>::identity();
#pragma omp parallel for num_threads(threads) reduction(inscan, compose : map)
    for (std::size_t i = 0; i < n; ++i) {
      map = affine_composition<T>{}(map, in[i]);
#pragma omp scan inclusive(map)
      out[i] = map;
    }
  }
};

/// The directives know their operators by name.
template <class Op, class T>
inline constexpr bool is_known = !std::is_same_v<Op, user_sum<T>>;

/// Scans of integers use unsigned numbers, for which wrapping is defined.
template <class Op, class T>
struct scanned {
  using op = Op;
  using type = T;
};
template <class T>
  requires std::is_integral_v<T>
struct scanned<sum_of<T>, T> {
  using op = sum_of<std::make_unsigned_t<T>>;
  using type = std::make_unsigned_t<T>;
};

template <verb V, class Op, class T>
struct parallel_call {
  using wrapping = directive<typename scanned<Op, T>::op, typename scanned<Op, T>::type>;
  using unsigned_or_same = typename scanned<Op, T>::type;

  static constexpr bool possible =
      V != verb::exclusive_scan && commutes_where_it_must<V, T> && is_known<Op, T>;

  static void run(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&c] {
      if constexpr (V == verb::reduce)
        deliver(c, directive<Op, T>::reduce(input<T>(c), c.n, c.threads));
      else
        wrapping::scan(input<unsigned_or_same>(c), output<unsigned_or_same>(c), c.n, c.threads);
    });
  }
};

template <verb V, class Op, class T>
struct simd_call {
  using wrapping = directive<typename scanned<Op, T>::op, typename scanned<Op, T>::type>;
  using unsigned_or_same = typename scanned<Op, T>::type;

  static constexpr bool possible =
      V == verb::inclusive_scan && std::is_arithmetic_v<T> && is_known<Op, T>;

  static void run(call const& c, std::size_t repeats) {
    repeat(c, repeats, [&c] {
      wrapping::simd_scan(input<unsigned_or_same>(c), output<unsigned_or_same>(c), c.n);
    });
  }
};

}  // namespace

registration const openmp_registration{{"openmp", "OpenMP", true, find_in<parallel_call>}};
registration const openmp_simd_registration{
    {"openmp-simd", "OpenMP simd, 1 thread", false, find_in<simd_call>}};

}  // namespace upsweep::bench
