/// The exponential and the logarithm of core/portable_math.hpp on lanes, once for each SIMD target:
/// the same operations in the same order, so the same bits.

#if defined(UPSWEEP_SIMD_EXPONENTIAL) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_EXPONENTIAL
#undef UPSWEEP_SIMD_EXPONENTIAL
#else
#define UPSWEEP_SIMD_EXPONENTIAL
#endif

#include <upsweep/core/portable_math.hpp>
#include <upsweep/host/simd/lanes.inl>

#if UPSWEEP_SIMD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

constexpr double factorial(int k) {
  return k < 2 ? 1 : k * factorial(k - 1);
}

/// even = 1/k! + z/(k+2)! + ... + z^i/12!, and odd the same from 1/(k+1)! to 1/13!.
template <int k, class D, std::size_t count>
HWY_INLINE void alternate_terms(D d, hn::Vec<D> const (&z)[count], hn::Vec<D> (&even)[count],
                                hn::Vec<D> (&odd)[count]) {
  auto const first = hn::Set(d, 1 / factorial(k)), second = hn::Set(d, 1 / factorial(k + 1));
  if constexpr (k < 12) alternate_terms<k + 2>(d, z, even, odd);
  for (std::size_t i = 0; i < count; ++i) {
    even[i] = k < 12 ? hn::Add(first, hn::Mul(z[i], even[i])) : first;
    odd[i] = k < 12 ? hn::Add(second, hn::Mul(z[i], odd[i])) : second;
  }
}

/// e^x for -700 <= x <= 0; NaN stays NaN. There portable::exp has no special cases. The steps of
/// several registers alternate, because the instructions of few fit a processor's window.
template <class D, std::size_t count>
HWY_INLINE void exp_of_doubles(D d, hn::Vec<D> (&x)[count]) {
  namespace constants = detail::portable::detail;
  hn::RebindToUnsigned<D> const bits;
  hn::Vec<D> n[count], r[count], c[count], z[count], even[count], odd[count];
  for (std::size_t i = 0; i < count; ++i)
    n[i] = hn::Trunc(hn::Sub(hn::Mul(x[i], hn::Set(d, constants::log2_e)), hn::Set(d, 0.5)));
  for (std::size_t i = 0; i < count; ++i) {
    auto const high = hn::Sub(x[i], hn::Mul(n[i], hn::Set(d, constants::ln2_high)));
    auto const low = hn::Mul(n[i], hn::Set(d, constants::ln2_low));
    r[i] = hn::Sub(high, low);
    c[i] = hn::Sub(hn::Sub(high, r[i]), low);
    z[i] = hn::Mul(r[i], r[i]);
  }
  alternate_terms<2>(d, z, even, odd);
  for (std::size_t i = 0; i < count; ++i) {
    auto const tail = hn::Mul(z[i], hn::Add(even[i], hn::Mul(r[i], odd[i])));
    auto const y =
        hn::Add(hn::Set(d, 1.0), hn::Add(r[i], hn::Add(tail, hn::Add(c[i], hn::Mul(c[i], r[i])))));
    // The low bits of 1.5 * 2^52 + k are those of k: here the biased exponent of 2^n.
    auto const exponent = hn::Add(n[i], hn::Set(d, 0x1.8p52 + 1023));
    x[i] = hn::Mul(y, hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(bits, exponent))));
  }
}

/// 1/k + w/(k+4) + ... + w^i/last, times 2.
template <int k, int last, class D, std::size_t count>
HWY_INLINE void every_fourth_term(D d, hn::Vec<D> const (&w)[count], hn::Vec<D> (&sum)[count]) {
  if constexpr (k < last) every_fourth_term<k + 4, last>(d, w, sum);
  for (std::size_t i = 0; i < count; ++i)
    sum[i] = k < last ? hn::Add(hn::Set(d, 2.0 / k), hn::Mul(w[i], sum[i])) : hn::Set(d, 2.0 / k);
}

/// log(x) for 1 <= x < infinity. There portable::log has no special cases.
template <class D, std::size_t count>
HWY_INLINE void log_of_doubles(D d, hn::Vec<D> (&x)[count]) {
  namespace constants = detail::portable::detail;
  hn::RebindToUnsigned<D> const bits;
  auto const sqrt_half = hn::BitCast(bits, hn::Set(d, 0x1.6a09e667f3bcdp-1));
  hn::Vec<D> n[count], f[count], s[count], z[count], w[count], odd[count], even[count];
  for (std::size_t i = 0; i < count; ++i) {
    auto const b = hn::BitCast(bits, x[i]);
    auto const exponent = hn::ShiftRight<52>(hn::Sub(b, sqrt_half));
    f[i] = hn::Sub(hn::BitCast(d, hn::Sub(b, hn::ShiftLeft<52>(exponent))), hn::Set(d, 1.0));
    auto const magic = hn::Set(d, 0x1p52);  // its low bits are those of an integer added to it
    n[i] = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::BitCast(bits, magic))), magic);
    s[i] = hn::Div(f[i], hn::Add(hn::Set(d, 2.0), f[i]));
    z[i] = hn::Mul(s[i], s[i]);
    w[i] = hn::Mul(z[i], z[i]);
  }
  every_fourth_term<3, 19>(d, w, odd);
  every_fourth_term<5, 21>(d, w, even);
  for (std::size_t i = 0; i < count; ++i) {
    auto const tail = hn::Mul(z[i], hn::Add(odd[i], hn::Mul(z[i], even[i])));
    auto const half_square = hn::Mul(hn::Mul(hn::Set(d, 0.5), f[i]), f[i]);
    auto const correction = hn::Add(hn::Mul(s[i], hn::Add(half_square, tail)),
                                    hn::Mul(n[i], hn::Set(d, constants::ln2_low)));
    x[i] = hn::Sub(hn::Mul(n[i], hn::Set(d, constants::ln2_high)),
                   hn::Sub(hn::Sub(half_square, correction), f[i]));
  }
}

/// f(d, y) of floats: in double, rounded once, as the functions of portable_math.hpp do.
template <class D, std::size_t count, class F>
HWY_INLINE void in_double(D d, hn::Vec<D> (&x)[count], F const& f) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    f(d, x);
  } else {
    hn::Half<D> const half;
    hn::Rebind<double, decltype(half)> const wide;
    hn::Vec<decltype(wide)> y[2 * count];
    for (std::size_t i = 0; i < count; ++i) {
      y[2 * i] = hn::PromoteTo(wide, hn::LowerHalf(half, x[i]));
      y[2 * i + 1] = hn::PromoteTo(wide, hn::UpperHalf(half, x[i]));
    }
    f(wide, y);
    for (std::size_t i = 0; i < count; ++i)
      x[i] = hn::Combine(d, hn::DemoteTo(half, y[2 * i + 1]), hn::DemoteTo(half, y[2 * i]));
  }
}
/// e^x for -700 <= x <= 0, of floats for -80 <= x.
template <class D, std::size_t count>
HWY_INLINE void exp_of_lanes(D d, hn::Vec<D> (&x)[count]) {
  in_double(d, x, [](auto wide, auto& y) HWY_ATTR __attribute__((always_inline)) {
    exp_of_doubles(wide, y);
  });
}
template <class D, std::size_t count>
HWY_INLINE void log_of_lanes(D d, hn::Vec<D> (&x)[count]) {
  in_double(d, x, [](auto wide, auto& y) HWY_ATTR __attribute__((always_inline)) {
    log_of_doubles(wide, y);
  });
}

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
