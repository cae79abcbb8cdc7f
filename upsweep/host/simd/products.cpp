/// Exact products of doubles, once for each SIMD target: each is a double and its rounding error
/// (Dekker, "A floating-point technique for extending the available precision", 1971).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/products.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using doubles = hn::ScalableTag<double>;

/// The error of product = x y, which is a double for the magnitudes that the caller accepts.
HWY_INLINE hn::Vec<doubles> error_of(hn::Vec<doubles> x, hn::Vec<doubles> y,
                                     hn::Vec<doubles> product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(x, y, product);
#else
  // Halves of 26 bits, whose products are exact. Beyond 2^996 they are not finite, which shows.
  auto const splitter = hn::Set(doubles(), 0x1p27 + 1);
  auto const split = [&](hn::Vec<doubles> v) HWY_ATTR {
    auto const scaled = hn::Mul(v, splitter);
    return hn::Sub(scaled, hn::Sub(scaled, v));
  };
  auto const xh = split(x), yh = split(y), xl = hn::Sub(x, xh), yl = hn::Sub(y, yh);
  auto const upper = hn::Add(hn::Sub(hn::Mul(xh, yh), product), hn::Mul(xh, yl));
  return hn::Add(hn::Add(upper, hn::Mul(xl, yh)), hn::Mul(xl, yl));
#endif
}

bool multiply(double const* x, double const* y, std::size_t n, double* product, double* error,
              bool& has_errors) {
  doubles const d;
  hn::RebindToUnsigned<doubles> const du;
  std::size_t const lanes = hn::Lanes(d);
  auto const least = hn::Set(d, 0x1p-960), most = hn::Set(d, 0x1p1000), zero = hn::Zero(d);
  auto exact = hn::Eq(zero, zero);
  auto errors = hn::Zero(du);
  auto const step = [&](hn::Vec<doubles> a, hn::Vec<doubles> b, double* p, double* e) HWY_ATTR {
    auto const ab = hn::Mul(a, b), size = hn::Abs(ab);
    // A product with a factor 0 is exact as well; with NaN or infinity it is NaN.
    auto const is_zero = hn::And(hn::Eq(ab, zero), hn::Or(hn::Eq(a, zero), hn::Eq(b, zero)));
    auto const rest = hn::IfThenZeroElse(is_zero, error_of(a, b, ab));
    auto const fits = hn::And(hn::And(hn::Ge(size, least), hn::Le(size, most)),
                              hn::Eq(hn::Sub(rest, rest), zero));
    exact = hn::And(exact, hn::Or(fits, is_zero));
    errors = hn::Or(errors, hn::BitCast(du, rest));
    hn::StoreU(ab, d, p);
    hn::StoreU(rest, d, e);
  };
  std::size_t i = 0;
  for (; n - i >= lanes; i += lanes)
    step(hn::LoadU(d, x + i), hn::LoadU(d, y + i), product + i, error + i);
  if (i < n) {
    HWY_ALIGN double a[hn::MaxLanes(doubles())] = {}, b[hn::MaxLanes(doubles())] = {},
                     p[hn::MaxLanes(doubles())], e[hn::MaxLanes(doubles())];
    std::copy(x + i, x + n, a);
    std::copy(y + i, y + n, b);
    step(hn::Load(d, a), hn::Load(d, b), p, e);
    std::copy(p, p + (n - i), product + i);
    std::copy(e, e + (n - i), error + i);
  }
  has_errors = !hn::AllTrue(du, hn::Eq(hn::ShiftLeft<1>(errors), hn::Zero(du)));
  return hn::AllTrue(d, exact);
}

/// Bytes of 0 or 1 as integers of 64 bits; Highway 1.0.3 widens bytes to 32 bits only.
HWY_INLINE hn::Vec<hn::RebindToUnsigned<doubles>> load_mask(std::uint8_t const* mask) {
  hn::Rebind<std::uint32_t, doubles> const dw;
  hn::Rebind<std::uint8_t, doubles> const db;
  return hn::PromoteTo(hn::RebindToUnsigned<doubles>(), hn::PromoteTo(dw, hn::LoadU(db, mask)));
}

std::size_t keep_masked(double* x, std::uint8_t const* mask, std::size_t n, double other) {
  doubles const d;
  hn::RebindToUnsigned<doubles> const du;
  std::size_t const lanes = hn::Lanes(d);
  auto const instead = hn::Set(d, other);
  auto kept = hn::Zero(du);
  std::size_t i = 0;
  for (; n - i >= lanes; i += lanes) {
    auto const is_in = load_mask(mask + i);
    kept = hn::Add(kept, is_in);
    auto const out =
        hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(du, hn::Eq(is_in, hn::Zero(du)))));
    hn::StoreU(hn::IfThenElse(out, instead, hn::LoadU(d, x + i)), d, x + i);
  }
  std::size_t count = hn::GetLane(hn::SumOfLanes(du, kept));
  for (; i < n; ++i) {
    count += mask[i];
    if (mask[i] == 0) x[i] = other;
  }
  return count;
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {

HWY_EXPORT(multiply);
HWY_EXPORT(keep_masked);

bool multiply_exactly(double const* x, double const* y, std::size_t n, double* product,
                      double* error, bool& has_errors) {
  return HWY_DYNAMIC_DISPATCH(multiply)(x, y, n, product, error, has_errors);
}
std::size_t keep(double* x, std::uint8_t const* mask, std::size_t n, double other) {
  return HWY_DYNAMIC_DISPATCH(keep_masked)(x, mask, n, other);
}

}  // namespace upsweep::host::simd
#endif
