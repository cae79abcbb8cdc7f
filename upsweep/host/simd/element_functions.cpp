/// Functions of elements on lanes, once for each SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/element_functions.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/quick_functions.hpp>
#include <upsweep/host/simd/exponential.inl>
#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace portable = detail::portable;

/// Each function has: of(x), that of one number; on targets with vectors, is_regular(d, x), the
/// lanes of which of_lanes(d, x) computes the function. Those of floats are given as doubles, but
/// to exp.
struct exp_function {
  static constexpr bool of_floats = true;
  template <class T>
  static T of(T x) {
    return portable::exp(x);
  }
#if UPSWEEP_SIMD_VECTORS
  /// Results beyond are infinite or subnormal.
  template <class T>
  static constexpr T least = sizeof(T) == 4 ? -87 : -700;
  template <class T>
  static constexpr T most = sizeof(T) == 4 ? 88 : 700;
  /// Below, results are 0.
  template <class T>
  static constexpr T zero_below = sizeof(T) == 4 ? -104 : -746;

  template <class D>
  HWY_INLINE static hn::Mask<D> is_regular(D d, hn::Vec<D> x) {
    using T = hn::TFromD<D>;
    auto const normal = hn::And(hn::Ge(x, hn::Set(d, least<T>)), hn::Le(x, hn::Set(d, most<T>)));
    return hn::Or(normal, hn::Lt(x, hn::Set(d, zero_below<T>)));
  }
  template <class D, std::size_t count>
  HWY_INLINE static void of_lanes(D d, hn::Vec<D> (&x)[count]) {
    using T = hn::TFromD<D>;
    hn::Vec<D> y[count];
    for (std::size_t i = 0; i < count; ++i)
      y[i] = hn::Min(hn::Max(x[i], hn::Set(d, least<T>)), hn::Set(d, most<T>));
    exp_of_lanes<true>(d, y);
    for (std::size_t i = 0; i < count; ++i)
      x[i] = hn::IfThenZeroElse(hn::Lt(x[i], hn::Set(d, zero_below<T>)), y[i]);
  }
#endif
};

struct log_function {
  static constexpr bool of_floats = false;
  static double of(double x) { return portable::log(x); }
#if UPSWEEP_SIMD_VECTORS
  template <class D>
  HWY_INLINE static hn::Mask<D> is_regular(D d, hn::Vec<D> x) {
    return hn::And(hn::Ge(x, hn::Set(d, detail::smallest_normal<double>)),
                   hn::Le(x, hn::Set(d, detail::largest<double>)));
  }
  template <class D, std::size_t count>
  HWY_INLINE static void of_lanes(D d, hn::Vec<D> (&x)[count]) {
    log_of_doubles(d, x);
  }
#endif
};

#if UPSWEEP_SIMD_VECTORS
/// e = e^-|x| of lanes between -700 and 700.
template <class D, std::size_t count>
HWY_INLINE void exp_of_minus_magnitudes(D d, hn::Vec<D> const (&x)[count], hn::Vec<D> (&e)[count]) {
  for (std::size_t i = 0; i < count; ++i) e[i] = hn::Neg(hn::Abs(x[i]));
  exp_of_doubles<false>(d, e);
}
#endif
/// Functions of exponentials of -|x|.
struct symmetric_function {
  static constexpr bool of_floats = false;
#if UPSWEEP_SIMD_VECTORS
  template <class D>
  HWY_INLINE static hn::Mask<D> is_regular(D d, hn::Vec<D> x) {
    return hn::Le(hn::Abs(x), hn::Set(d, 700.0));
  }
#endif
};

struct softplus_function : symmetric_function {
  static double of(double x) { return portable::softplus(x); }
#if UPSWEEP_SIMD_VECTORS
  template <class D, std::size_t count>
  HWY_INLINE static void of_lanes(D d, hn::Vec<D> (&x)[count]) {
    auto const one = hn::Set(d, 1.0);
    hn::Vec<D> e[count], u[count], log[count];
    exp_of_minus_magnitudes(d, x, e);
    for (std::size_t i = 0; i < count; ++i) log[i] = u[i] = hn::Add(one, e[i]);
    log_of_doubles(d, log);
    for (std::size_t i = 0; i < count; ++i) {
      auto const part = hn::Mul(log[i], hn::Div(e[i], hn::Sub(u[i], one)));
      auto const rest = hn::IfThenElse(hn::Eq(u[i], one), e[i], part);
      x[i] = hn::Add(hn::Max(x[i], hn::Zero(d)), rest);
    }
  }
#endif
};

struct logistic_function : symmetric_function {
  static double of(double x) { return portable::logistic(x); }
#if UPSWEEP_SIMD_VECTORS
  template <class D, std::size_t count>
  HWY_INLINE static void of_lanes(D d, hn::Vec<D> (&x)[count]) {
    auto const one = hn::Set(d, 1.0);
    hn::Vec<D> e[count];
    exp_of_minus_magnitudes(d, x, e);
    for (std::size_t i = 0; i < count; ++i) {
      auto const above = hn::IfThenElse(hn::Gt(x[i], hn::Zero(d)), one, e[i]);
      x[i] = hn::Div(above, hn::Add(one, e[i]));
    }
  }
#endif
};

/// In double for floats, rounded once.
template <class F, class T>
T of_one(T x) {
  if constexpr (F::of_floats)
    return F::of(x);
  else
    return static_cast<T>(F::of(static_cast<double>(x)));
}

#if UPSWEEP_SIMD_VECTORS
template <class F, class D, std::size_t count>
HWY_INLINE void map_lanes(D d, hn::Vec<D> (&x)[count]) {
  if constexpr (F::of_floats)
    F::of_lanes(d, x);
  else
    in_double(d, x, [](auto wide, auto& y) HWY_ATTR __attribute__((always_inline)) {
      F::of_lanes(wide, y);
    });
}
/// Whether all lanes are regular.
template <class F, class D>
HWY_INLINE bool are_regular(D d, hn::Vec<D> x) {
  if constexpr (F::of_floats || sizeof(hn::TFromD<D>) == 8) {
    return hn::AllTrue(d, F::is_regular(d, x));
  } else {
    hn::Half<D> const half;
    hn::Rebind<double, decltype(half)> const wide;
    return hn::AllTrue(wide,
                       hn::And(F::is_regular(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x))),
                               F::is_regular(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)))));
  }
}

/// The elements of `count` registers.
template <class F, std::size_t count, class T>
HWY_INLINE void map_registers(T const* from, T* to) {
  hn::ScalableTag<T> const d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> v[count];
  bool regular = true;
  for (std::size_t i = 0; i < count; ++i) {
    v[i] = hn::LoadU(d, from + i * lanes);
    regular = regular && are_regular<F>(d, v[i]);
  }
  if (HWY_UNLIKELY(!regular)) {
    for (std::size_t i = 0; i < count * lanes; ++i) to[i] = of_one<F>(from[i]);
    return;
  }
  map_lanes<F>(d, v);
  for (std::size_t i = 0; i < count; ++i) hn::StoreU(v[i], d, to + i * lanes);
}
#endif

template <class F, class T>
void map(T const* x, T* out, std::size_t n) {
#if UPSWEEP_SIMD_VECTORS
  clean_registers const on_return;
  constexpr std::size_t registers = sizeof(T) == 4 ? 2 : 4;
  constexpr std::size_t together = registers * hn::MaxLanes(hn::ScalableTag<T>());
  std::size_t i = 0;
  for (; n - i >= together; i += together) map_registers<F, registers>(x + i, out + i);
  if (i == n) return;
  T rest[together];
  std::fill(std::copy(x + i, x + n, rest), rest + together, T{1});
  map_registers<F, registers>(rest, rest);
  std::copy(rest, rest + (n - i), out + i);
#else
  for (std::size_t i = 0; i < n; ++i) out[i] = of_one<F>(x[i]);
#endif
}

template <class T>
void map_here(element_function function, T const* x, T* out, std::size_t n) {
  using enum element_function;
  switch (function) {
    case exp:
      return map<exp_function>(x, out, n);
    case log:
      return map<log_function>(x, out, n);
    case softplus:
      return map<softplus_function>(x, out, n);
    case logistic:
      return map<logistic_function>(x, out, n);
  }
}
void map_floats(element_function function, float const* x, float* out, std::size_t n) {
  map_here(function, x, out, n);
}
void map_doubles(element_function function, double const* x, double* out, std::size_t n) {
  map_here(function, x, out, n);
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {

HWY_EXPORT(map_floats);
HWY_EXPORT(map_doubles);

void map_elements(element_function function, float const* x, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(map_floats)(function, x, out, n);
}
void map_elements(element_function function, double const* x, double* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(map_doubles)(function, x, out, n);
}

}  // namespace upsweep::host::simd
#endif
