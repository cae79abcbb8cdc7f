/// The operators on lanes, once for each SIMD target: `on_lanes(earlier, later)` for vectors,
/// `on_scalars` for one lane's value.
///
/// `neutral` is an identity in every bit. For sums of floats that is -0.0, because +0.0 would turn
/// -0.0 into +0.0.

#if defined(UPSWEEP_SIMD_OPERATORS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_OPERATORS
#undef UPSWEEP_SIMD_OPERATORS
#else
#define UPSWEEP_SIMD_OPERATORS
#endif

#include <upsweep/host/simd/families.hpp>
#include <upsweep/host/simd/lanes.inl>

#include <bit>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

struct lane_add {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = false;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return hwy::IsFloat<S>() ? static_cast<S>(-0.0) : S{};
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::Add(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return static_cast<S>(earlier + later);
  }
};

struct lane_multiply {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = false;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return S{1};
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::Mul(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return static_cast<S>(earlier * later);
  }
};

/// For integers; floats arrive as integers in the same order, from ordered_codec.
struct lane_min {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = true;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return std::numeric_limits<S>::max();
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::Min(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return later < earlier ? later : earlier;
  }
};

/// For floats without ordered_codec, in reductions: three instructions, where that codec costs six
/// per load. x86's minimum is `a < b ? a : b`, so the two orders of operands give different results
/// only for zeros of different sign and for NaN, and there their bitwise or is right: -0 for +0 and
/// -0, a NaN for a NaN and anything.
struct lane_min_of_floats {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = true;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return std::numeric_limits<S>::infinity();
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
#if HWY_ARCH_X86
    return hn::Or(hn::Min(earlier, later), hn::Min(later, earlier));
#else
    return hn::Or(hn::IfThenElse(hn::Lt(earlier, later), earlier, later),
                  hn::IfThenElse(hn::Lt(later, earlier), later, earlier));
#endif
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    using bits = std::conditional_t<sizeof(S) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<S>(
        static_cast<bits>(std::bit_cast<bits>(earlier < later ? earlier : later) |
                          std::bit_cast<bits>(later < earlier ? later : earlier)));
  }
};

struct lane_max {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = true;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return std::numeric_limits<S>::min();
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::Max(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return earlier < later ? later : earlier;
  }
};

struct lane_and {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = true;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return static_cast<S>(~S{});
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::And(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return static_cast<S>(earlier & later);
  }
};

struct lane_or {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = true;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return S{};
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::Or(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return static_cast<S>(earlier | later);
  }
};

struct lane_xor {
  static constexpr bool commutative = true;
  static constexpr bool idempotent = false;
  static constexpr bool has_neutral = true;
  template <class S>
  static constexpr S neutral() {
    return S{};
  }
  template <class V>
  HWY_INLINE static V on_lanes(V earlier, V later) {
    return hn::Xor(earlier, later);
  }
  template <class S>
  HWY_INLINE static S on_scalars(S earlier, S later) {
    return static_cast<S>(earlier ^ later);
  }
};

/// Composition of maps x -> a * x + b. No pair is an identity in every bit: {1, -0.0} turns a later
/// b of -0.0 into +0.0 if a < 0.
struct lane_affine {
  static constexpr bool commutative = false;
  static constexpr bool has_neutral = false;
  template <class D>
  HWY_INLINE static pair_vector<D> on_lanes(pair_vector<D> earlier, pair_vector<D> later) {
    return {hn::Mul(later.a, earlier.a), hn::Add(hn::Mul(later.a, earlier.b), later.b)};
  }
  template <class L>
  HWY_INLINE static pair_value<L> on_scalars(pair_value<L> earlier, pair_value<L> later) {
    return {later.a * earlier.a, later.a * earlier.b + later.b};
  }
};

/// The lanes of the library's operators.
template <class Op>
struct lane_operator;
template <>
struct lane_operator<plus> : std::type_identity<lane_add> {};
template <>
struct lane_operator<multiplies> : std::type_identity<lane_multiply> {};
template <>
struct lane_operator<min> : std::type_identity<lane_min> {};
template <>
struct lane_operator<max> : std::type_identity<lane_max> {};
template <>
struct lane_operator<min_number> : std::type_identity<lane_min> {};
template <>
struct lane_operator<max_number> : std::type_identity<lane_max> {};
template <>
struct lane_operator<bit_and> : std::type_identity<lane_and> {};
template <>
struct lane_operator<bit_or> : std::type_identity<lane_or> {};
template <>
struct lane_operator<bit_xor> : std::type_identity<lane_xor> {};
template <>
struct lane_operator<affine> : std::type_identity<lane_affine> {};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
