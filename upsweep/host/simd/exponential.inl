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

/// even = 1/k! + z/(k+2)! + ... + z^i/last!, and odd the same from 1/(k+1)! to 1/(last+1)!. If
/// `fused`, products need not be rounded.
template <int k, int last, bool fused, class D, std::size_t count>
HWY_INLINE void alternate_terms(D d, hn::Vec<D> const (&z)[count], hn::Vec<D> (&even)[count],
                                hn::Vec<D> (&odd)[count]) {
  auto const first = hn::Set(d, 1 / factorial(k)), second = hn::Set(d, 1 / factorial(k + 1));
  if constexpr (k < last) alternate_terms<k + 2, last, fused>(d, z, even, odd);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (k == last)
      even[i] = first, odd[i] = second;
    else if constexpr (fused)
      even[i] = hn::MulAdd(z[i], even[i], first), odd[i] = hn::MulAdd(z[i], odd[i], second);
    else
      even[i] = hn::Add(first, hn::Mul(z[i], even[i])),
      odd[i] = hn::Add(second, hn::Mul(z[i], odd[i]));
  }
}

/// e^x for -700 <= x <= 0, or up to 700 if `any_sign`; NaN stays NaN. There portable::exp has no
/// special cases. The steps of several registers alternate, because the instructions of few fit a
/// processor's window.
template <bool any_sign = false, class D, std::size_t count>
HWY_INLINE void exp_of_doubles(D d, hn::Vec<D> (&x)[count]) {
  namespace constants = detail::portable::detail;
  hn::RebindToUnsigned<D> const bits;
  hn::Vec<D> n[count], r[count], c[count], z[count], even[count], odd[count];
  for (std::size_t i = 0; i < count; ++i) {
    auto const half = hn::Set(d, 0.5), multiple = hn::Mul(x[i], hn::Set(d, constants::log2_e));
    n[i] =
        hn::Trunc(any_sign ? hn::Add(multiple, hn::CopySign(half, x[i])) : hn::Sub(multiple, half));
  }
  for (std::size_t i = 0; i < count; ++i) {
    auto const high = hn::Sub(x[i], hn::Mul(n[i], hn::Set(d, constants::ln2_high)));
    auto const low = hn::Mul(n[i], hn::Set(d, constants::ln2_low));
    r[i] = hn::Sub(high, low);
    c[i] = hn::Sub(hn::Sub(high, r[i]), low);
    z[i] = hn::Mul(r[i], r[i]);
  }
  alternate_terms<2, 12, false>(d, z, even, odd);
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

/// log(x) of positive normal x. There portable::log has no special cases.
template <class D, std::size_t count>
HWY_INLINE void log_of_doubles(D d, hn::Vec<D> (&x)[count]) {
  namespace constants = detail::portable::detail;
  hn::RebindToUnsigned<D> const bits;
  // Exponents are 1024 too large, so that none is negative.
  constexpr std::uint64_t bias = 1024;
  auto const biased = hn::Set(bits, bias << 52);
  auto const sqrt_half = hn::Sub(hn::BitCast(bits, hn::Set(d, 0x1.6a09e667f3bcdp-1)), biased);
  hn::Vec<D> n[count], f[count], s[count], z[count], w[count], odd[count], even[count];
  for (std::size_t i = 0; i < count; ++i) {
    auto const b = hn::BitCast(bits, x[i]);
    auto const exponent = hn::ShiftRight<52>(hn::Sub(b, sqrt_half));
    auto const power = hn::Sub(hn::ShiftLeft<52>(exponent), biased);
    f[i] = hn::Sub(hn::BitCast(d, hn::Sub(b, power)), hn::Set(d, 1.0));
    auto const magic = hn::Set(d, 0x1p52);  // its low bits are those of an integer added to it
    n[i] = hn::Sub(hn::BitCast(d, hn::Or(exponent, hn::BitCast(bits, magic))),
                   hn::Set(d, 0x1p52 + bias));
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
/// What exp_of_doubles gives, with a relative error below 2^-36 (by the terms up to r^9 / 9!), for
/// |x| <= 700. False if a result is so near to the middle of two floats that its rounding to
/// float is not known.
template <class D, std::size_t count>
HWY_INLINE bool exp_is_known_as_float(D d, hn::Vec<D> (&x)[count]) {
  namespace constants = detail::portable::detail;
  hn::RebindToUnsigned<D> const bits;
  hn::Repartition<std::int32_t, D> const upper;
  // A float has 29 bits less than a double, and in the middle these are 100...0. An error of 2^17
  // in them is one of 2^52 after the shift; added to the middle it leaves the least integers.
  auto const error = hn::Set(bits, std::uint64_t{1} << 52);
  hn::Vec<D> n[count], r[count], z[count], even[count], odd[count];
  for (std::size_t i = 0; i < count; ++i)
    n[i] = hn::Round(hn::Mul(x[i], hn::Set(d, constants::log2_e)));
  for (std::size_t i = 0; i < count; ++i)
    r[i] = hn::NegMulAdd(n[i], hn::Set(d, constants::ln2_high), x[i]);
  for (std::size_t i = 0; i < count; ++i)
    r[i] = hn::NegMulAdd(n[i], hn::Set(d, constants::ln2_low), r[i]);
  for (std::size_t i = 0; i < count; ++i) z[i] = hn::Mul(r[i], r[i]);
  alternate_terms<2, 8, true>(d, z, even, odd);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = hn::Add(hn::Set(d, 1.0), hn::MulAdd(z[i], hn::MulAdd(r[i], odd[i], even[i]), r[i]));
  auto least = hn::Zero(upper);
  for (std::size_t i = 0; i < count; ++i) {
    auto const exponent = hn::Add(n[i], hn::Set(d, 0x1.8p52 + 1023));
    auto const power = hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(bits, exponent)));
    x[i] = hn::Mul(x[i], power);
    auto const rest = hn::Add(hn::ShiftLeft<35>(hn::BitCast(bits, x[i])), error);
    least = hn::Min(least, hn::BitCast(upper, rest));
  }
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  return hn::AllFalse(upper, hn::Lt(least, hn::Set(upper, lowest + (1 << 21))));
}

/// exp_of_doubles apart from the loop that rarely calls it.
template <bool any_sign, class D, std::size_t count>
HWY_NOINLINE void rare_exp_of_doubles(D d, hn::Vec<D> (&x)[count]) {
  exp_of_doubles<any_sign>(d, x);
}

/// e^x for -700 <= x <= 0, of floats for -87 <= x; or if `any_sign` up to 700, of floats up to 88.
/// A short series is almost always enough to round to float.
template <bool any_sign = false, class D, std::size_t count>
HWY_INLINE void exp_of_lanes(D d, hn::Vec<D> (&x)[count]) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    exp_of_doubles<any_sign>(d, x);
  } else {
    in_double(d, x, [](auto wide, auto& y) HWY_ATTR __attribute__((always_inline)) {
      hn::Vec<decltype(wide)> exp[2 * count];
      for (std::size_t i = 0; i < 2 * count; ++i) exp[i] = y[i];
      if (HWY_UNLIKELY(!exp_is_known_as_float(wide, exp))) {
        for (std::size_t i = 0; i < 2 * count; ++i) exp[i] = y[i];
        rare_exp_of_doubles<any_sign>(wide, exp);
      }
      for (std::size_t i = 0; i < 2 * count; ++i) y[i] = exp[i];
    });
  }
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
