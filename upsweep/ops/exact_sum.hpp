/// The exact sum: correctly rounded, with the same bits in any order and grouping, on any executor,
/// and for any number of threads and ranks.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/ops/exact_sum_state.hpp>
#include <upsweep/ops/monoid.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

namespace detail::exact {

/// Adds x[0, n) to `a`. From the caches, one Zen 4 core takes 20 GB/s of doubles and 14 of floats
/// where the bits of adjacent values lie within some 130 binary digits (24 decades of doubles;
/// 90 digits, 18 decades, of floats), and 6 to 8 of any other data; the sum is the same either way.
UPSWEEP_API void accumulate(superaccumulator<double>& a, double const* x, std::size_t n);
UPSWEEP_API void accumulate(superaccumulator<float>& a, float const* x, std::size_t n);
UPSWEEP_API void accumulate(superaccumulator<float>& a, bfloat16 const* x, std::size_t n);
#ifdef UPSWEEP_HAS_FLOAT16
UPSWEEP_API void accumulate(superaccumulator<float>& a, float16 const* x, std::size_t n);
#endif

/// Adds this many integers. Their sum, or those of their upper and lower halves, have some 40 bits.
inline constexpr int integers_at_once = 256;
template <class T, class U>
void accumulate_integers(superaccumulator<T>& a, U const* x) {
  std::int64_t upper = 0, lower = 0;
  for (int i = 0; i < integers_at_once; ++i) {
    if constexpr (sizeof(U) < 8) {
      lower += x[i];
    } else {
      upper += static_cast<std::int64_t>(x[i] >> 32);
      lower += static_cast<std::uint32_t>(x[i]);
    }
  }
  a.absorb(lower);
  if (upper != 0) a.absorb(static_cast<double>(upper) * 0x1p32);
}

/// Scans by vectors until the elements do not fit: out[i] = the rounded sum of `a` and x[0, i), or
/// of x[0, i] if `inclusive`, for the i below the result, whose elements are then in `a`. `out` may
/// be `x`.
UPSWEEP_API std::size_t scan(superaccumulator<double>& a, double const* x, double* out,
                             std::size_t n, bool inclusive);
UPSWEEP_API std::size_t scan(superaccumulator<float>& a, float const* x, float* out, std::size_t n,
                             bool inclusive);

}  // namespace detail::exact

namespace detail {

/// The superaccumulator in which elements of type `T` are summed.
template <class T>
struct exact_sum_state {
  static_assert(
      (detail::is_float<T> && !std::is_same_v<T, long double>) ||
          (std::is_integral_v<T> && sizeof(T) <= 8),
      "upsweep: exact_sum sums float, double, the 16-bit floats and integers of up to 64 bits");
  using type = detail::superaccumulator<
      std::conditional_t<std::is_same_v<T, float> || detail::is_narrow_float<T>, float, double>>;
};
template <class T>
struct exact_sum_state<detail::superaccumulator<T>> {
  using type = detail::superaccumulator<T>;
};

}  // namespace detail

/// The exact sum of all elements, rounded once at the end: to float for float and the 16-bit
/// floats, to double for double and integers. Intermediate sums cannot overflow; a total beyond the
/// largest finite number is infinite. A scan gives every prefix correctly rounded. The identity is
/// the empty sum, +0, which is never added to an element: a sum of -0.0 alone stays -0.0.
struct exact_sum {
  static constexpr catalog::description about{
      .takes = catalog::operand_kind::numbers,
      .identity = "0",
      .accumulator = "a superaccumulator",
      .ordered = true,
      .meaning = "Correctly rounded sum, in any order of the values; in f64 for integers.",
      .example = "1e100 1 -1e100",
      .result = "1"};
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  template <class T>
  using accumulator = typename detail::exact_sum_state<T>::type;

  template <class A>
  [[nodiscard]] UPSWEEP_BOTH A identity() const {
    return A{};
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr detail::superaccumulator<T> operator()(
      detail::superaccumulator<T> const& earlier, detail::superaccumulator<T> const& later) const {
    detail::superaccumulator<T> sum = earlier;
    sum.merge(later);
    return sum;
  }
  template <class T, class U>
  void absorb(detail::superaccumulator<T>& a, U const& x) const {
    if constexpr (std::is_same_v<U, detail::superaccumulator<T>>)
      a.merge(x);
    else
      a.absorb(x);
  }
  /// a = a op x[0] op ... op x[n-1], for contiguous elements; fastest with 2^14 or more at a time.
  template <class T, class U>
  void absorb_range(detail::superaccumulator<T>& a, U const* x, std::size_t n) const {
    if constexpr (requires { detail::exact::accumulate(a, x, n); }) {
      if (n >= 64) return detail::exact::accumulate(a, x, n);
    }
    std::size_t i = 0;
    if constexpr (std::is_integral_v<U>)
      for (; i + detail::exact::integers_at_once <= n; i += detail::exact::integers_at_once)
        detail::exact::accumulate_integers(a, x + i);
    for (; i < n; ++i) absorb(a, x[i]);
  }
  /// The results of an inclusive or an exclusive scan of x[0, n) whose prefix is `a`; then
  /// a = a op x[0] op ... op x[n-1]; returns n. `out` may be `x`. One Zen 4 core takes 2 to 3 ns an
  /// element where the bits of the elements and of the sum lie within some 130 binary digits (85
  /// for floats), and 15 to 40 ns with any other data, near the largest number, and once the sum is
  /// infinite or NaN.
  template <class T>
  std::size_t scan_range(detail::superaccumulator<T>& a, T const* x, T* out, std::size_t n,
                         bool inclusive) const {
    constexpr std::size_t by_vectors_from = 64, shortest_run = 1024, longest_run = 1 << 16;
    std::size_t run = shortest_run;
    for (std::size_t i = 0; i < n;) {
      if (a.is_number() && n - i >= by_vectors_from) {
        std::size_t const done = detail::exact::scan(a, x + i, out + i, n - i, inclusive);
        i += done;
        // Doubles, so that data that do not fit are rarely tried again.
        run = done > 0 ? shortest_run : run < longest_run ? 2 * run : run;
      }
      // After an empty sum or -0, the next element may make a number.
      std::size_t const most = a.is_number() || a.rounded() != 0 ? run : 1;
      for (std::size_t const end = n - i < most ? n : i + most; i < end; ++i) {
        T const value = x[i];  // before an in-place result overwrites it
        if (!inclusive) out[i] = a.rounded();
        a.absorb(value);
        if (inclusive) out[i] = a.rounded();
      }
    }
    return n;
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr T finish(detail::superaccumulator<T> const& a) const {
    return a.rounded();
  }
};

}  // namespace upsweep
UPSWEEP_IEEE_END
