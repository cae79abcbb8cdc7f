/// The exponential of core/portable_math.hpp on lanes, once for each SIMD target: the same
/// operations in the same order, so the same bits.

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

/// The same for floats, -80 <= x: in double, rounded once, as portable::exp does.
template <class D, std::size_t count>
HWY_INLINE void exp_of_lanes(D d, hn::Vec<D> (&x)[count]) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    exp_of_doubles(d, x);
  } else {
    hn::Half<D> const half;
    hn::Rebind<double, decltype(half)> const wide;
    hn::Vec<decltype(wide)> y[2 * count];
    for (std::size_t i = 0; i < count; ++i) {
      y[2 * i] = hn::PromoteTo(wide, hn::LowerHalf(half, x[i]));
      y[2 * i + 1] = hn::PromoteTo(wide, hn::UpperHalf(half, x[i]));
    }
    exp_of_doubles(wide, y);
    for (std::size_t i = 0; i < count; ++i)
      x[i] = hn::Combine(d, hn::DemoteTo(half, y[2 * i + 1]), hn::DemoteTo(half, y[2 * i]));
  }
}

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
