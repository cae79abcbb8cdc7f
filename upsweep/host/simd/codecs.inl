/// How element types become lanes and lanes become results, once for each SIMD target.
///
/// A codec names the element type (`memory`), the type of one lane (`lane`) and the type that an
/// operator combines (`scalar`). It has load and store for a register, where store writes to an
/// output of streaming.inl, and decode and encode for one element.

#if defined(UPSWEEP_SIMD_CODECS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_CODECS
#undef UPSWEEP_SIMD_CODECS
#else
#define UPSWEEP_SIMD_CODECS
#endif

#include <upsweep/core/number_types.hpp>
#include <upsweep/host/simd/lanes.inl>
#include <upsweep/host/simd/streaming.inl>
#include <upsweep/ops/affine.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

/// Elements whose type is the lane type.
template <class T>
struct plain_codec {
  using memory = T;
  using lane = T;
  using scalar = T;

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, T const* p) {
    return hn::LoadU(d, p);
  }
  template <class D, class Output>
  HWY_INLINE static void store(D d, hn::Vec<D> v, Output& out) {
    out.put(d, v);
  }
  HWY_INLINE static T decode(T x) { return x; }
  HWY_INLINE static T encode(T x) { return x; }
};

/// 8- and 16-bit integers in 32-bit lanes. Results keep only the low bits, so overflow wraps as it
/// would in `T`.
template <class T>
struct widened_codec {
  using memory = T;
  using lane = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
  using scalar = lane;

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, T const* p) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), p));
  }
  template <class D, class Output>
  HWY_INLINE static void store(D, hn::Vec<D> v, Output& out) {
    hn::RebindToUnsigned<D> const wide;
    hn::Rebind<std::make_unsigned_t<T>, D> const narrow;
    out.put(narrow, hn::TruncateTo(narrow, hn::BitCast(wide, v)));
  }
  HWY_INLINE static lane decode(T x) { return x; }
  HWY_INLINE static T encode(lane x) { return static_cast<T>(x); }
};

/// bfloat16 in float lanes; rounds to nearest, ties to even, as number_types.hpp does.
struct bfloat16_codec {
  using memory = bfloat16;
  using lane = float;
  using scalar = float;

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, bfloat16 const* p) {
    hn::RebindToUnsigned<D> const wide;
    hn::Rebind<std::uint16_t, D> const narrow;
    auto const bits = hn::LoadU(narrow, reinterpret_cast<std::uint16_t const*>(p));
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(wide, bits)));
  }
  template <class D, class Output>
  HWY_INLINE static void store(D, hn::Vec<D> v, Output& out) {
    hn::RebindToUnsigned<D> const wide;
    hn::Rebind<std::uint16_t, D> const narrow;
    auto const bits = hn::BitCast(wide, v);
    auto const odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(wide, 1));
    auto const rounded = hn::Add(bits, hn::Add(odd, hn::Set(wide, 0x7fff)));
    auto const quiet = hn::Or(bits, hn::Set(wide, 0x400000));
    auto const result = hn::IfThenElse(hn::RebindMask(wide, hn::IsNaN(v)), quiet, rounded);
    out.put(narrow, hn::TruncateTo(narrow, hn::ShiftRight<16>(result)));
  }
  HWY_INLINE static float decode(bfloat16 x) { return x; }
  HWY_INLINE static bfloat16 encode(float x) { return x; }
};

/// Two neighbors of bfloat16, combined, as one element of a reduction: the halves of a 32-bit lane
/// are floats after a shift or a mask, so that this level of the tree has no shuffle.
template <class Op>
struct bfloat16_pairs {
  struct memory {
    bfloat16 earlier, later;
  };
  using lane = float;
  using scalar = float;

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, memory const* p) {
    hn::RebindToUnsigned<D> const pairs;  // vectors are little endian: the earlier is the low half
    auto const bits = hn::LoadU(pairs, reinterpret_cast<std::uint32_t const*>(p));
    auto const later = hn::And(bits, hn::Set(pairs, 0xffff0000));
    return Op::on_lanes(hn::BitCast(d, hn::ShiftLeft<16>(bits)), hn::BitCast(d, later));
  }
  HWY_INLINE static float decode(memory x) {
    return Op::on_scalars(static_cast<float>(x.earlier), static_cast<float>(x.later));
  }
};

/// binary16 in float lanes. Only AVX2 and NEON have instructions for the conversion. Elsewhere it
/// is done lane by lane, since Highway's own conversion does not round to nearest.
struct float16_codec {
  using memory = float16;
  using lane = float;
  using scalar = float;

#if !(HWY_ARCH_ARM_A64 || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2))
  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, float16 const* p) {
    HWY_ALIGN float wide[hn::MaxLanes(D())];
    for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) wide[i] = static_cast<float>(p[i]);
    return hn::Load(d, wide);
  }
  template <class D, class Output>
  HWY_INLINE static void store(D d, hn::Vec<D> v, Output& out) {
    HWY_ALIGN float wide[hn::MaxLanes(D())];
    HWY_ALIGN float16 narrow[hn::MaxLanes(D())];
    hn::Rebind<std::uint16_t, D> const bits;
    hn::Store(v, d, wide);
    for (std::size_t i = 0; i < hn::MaxLanes(d); ++i) narrow[i] = static_cast<float16>(wide[i]);
    out.put(bits, hn::LoadU(bits, reinterpret_cast<std::uint16_t const*>(narrow)));
  }
#else
  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, float16 const* p) {
    return hn::PromoteTo(
        d, hn::LoadU(hn::Rebind<hwy::float16_t, D>(), reinterpret_cast<hwy::float16_t const*>(p)));
  }
  template <class D, class Output>
  HWY_INLINE static void store(D, hn::Vec<D> v, Output& out) {
    hn::Rebind<hwy::float16_t, D> const narrow;
    out.put(narrow, hn::DemoteTo(narrow, v));
  }
#endif
  HWY_INLINE static float decode(float16 x) { return static_cast<float>(x); }
  HWY_INLINE static float16 encode(float x) { return static_cast<float16>(x); }
};

/// Flips all bits but the sign of negative numbers; its own inverse.
template <class V>
HWY_INLINE V turn_negative(V bits) {
  hn::DFromV<V> const d;
  using Lane = hn::TFromV<V>;
  return hn::Xor(bits,
                 hn::And(hn::BroadcastSignBit(bits), hn::Set(d, std::numeric_limits<Lane>::max())));
}

/// Floats as signed integers in the same order, with -0 below +0, so that min and max are single
/// instructions. A NaN becomes the smallest integer if `nan_is_least`, where it must win a minimum
/// or lose a maximum; otherwise the largest. (Both integers are the encodings of NaNs, so decoding
/// gives a NaN back.)
template <class T, bool nan_is_least>
struct ordered_codec {
  using memory = T;
  using lane = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  using scalar = lane;
  static constexpr lane nan =
      nan_is_least ? std::numeric_limits<lane>::min() : std::numeric_limits<lane>::max();
  static constexpr int sign_bit = static_cast<int>(8 * sizeof(T)) - 1;

  HWY_INLINE static lane turn(lane bits) {
    return bits ^ ((bits >> sign_bit) & std::numeric_limits<lane>::max());
  }

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, T const* p) {
    auto const x = hn::LoadU(hn::Rebind<T, D>(), p);
    return hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(x)), hn::Set(d, nan),
                          turn_negative(hn::BitCast(d, x)));
  }
  template <class D, class Output>
  HWY_INLINE static void store(D d, hn::Vec<D> v, Output& out) {
    out.put(d, turn_negative(v));
  }
  HWY_INLINE static lane decode(T x) { return x != x ? nan : turn(std::bit_cast<lane>(x)); }
  HWY_INLINE static T encode(lane x) { return std::bit_cast<T>(turn(x)); }
};

/// Floats with their sign flipped, so that a minimum computes the maximum. For reductions only.
template <class T>
struct negated_codec {
  using memory = T;
  using lane = T;
  using scalar = T;

  template <class D>
  HWY_INLINE static hn::Vec<D> load(D d, T const* p) {
    return hn::Neg(hn::LoadU(d, p));
  }
  HWY_INLINE static T decode(T x) { return -x; }
  HWY_INLINE static T encode(T x) { return -x; }
};

/// affine_map: two numbers per element, which a load deinterleaves.
template <class T>
struct affine_codec {
  using memory = affine_map<T>;
  using lane = T;
  using scalar = pair_value<T>;

  template <class D>
  HWY_INLINE static pair_vector<D> load(D d, affine_map<T> const* p) {
    pair_vector<D> v;
    hn::LoadInterleaved2(d, reinterpret_cast<T const*>(p), v.a, v.b);
    return v;
  }
  template <class D, class Output>
  HWY_INLINE static void store(D d, pair_vector<D> v, Output& out) {
    hn::Vec<D> first, second;
    interleave(d, v, first, second);
    out.put(d, first);
    out.put(d, second);
  }
  HWY_INLINE static scalar decode(affine_map<T> x) { return {x.a, x.b}; }
  HWY_INLINE static affine_map<T> encode(scalar x) { return {x.a, x.b}; }
};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
