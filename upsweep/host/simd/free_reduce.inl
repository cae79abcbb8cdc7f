/// The total of a tile in any grouping, for exactly associative operators and for mode::fast, once
/// for each SIMD target.

#if defined(UPSWEEP_SIMD_FREE_REDUCE) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_FREE_REDUCE
#undef UPSWEEP_SIMD_FREE_REDUCE
#else
#define UPSWEEP_SIMD_FREE_REDUCE
#endif

#include <upsweep/host/simd/codecs.inl>
#include <upsweep/host/simd/operators.inl>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

#if UPSWEEP_SIMD_VECTORS

/// A vertical reduction: combines each lane of a register with the same lane of all others.
template <class Op, class Codec>
struct lane_fold {
  using codec = Codec;
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;
  using D = hn::ScalableTag<typename Codec::lane>;
  using value = hn::Vec<D>;
  static constexpr std::size_t elements = hn::MaxLanes(D());

  HWY_INLINE static value start() { return hn::Set(D(), Op::template neutral<scalar>()); }
  HWY_INLINE static value absorb(value a, memory const* x) {
    return Op::on_lanes(a, Codec::load(D(), x));
  }
  HWY_INLINE static value combine(value a, value b) { return Op::on_lanes(a, b); }
  /// An element that changes nothing when it is combined with x.
  HWY_INLINE static memory filler(memory x) {
    return Op::idempotent ? x : Codec::encode(Op::template neutral<scalar>());
  }
  HWY_INLINE static scalar total(value a, std::size_t) {
    HWY_ALIGN scalar lane[elements];
    hn::Store(a, D(), lane);
    for (std::size_t half = elements / 2; half != 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) lane[i] = Op::on_scalars(lane[i], lane[i + half]);
    return lane[0];
  }
};

/// Sums integers of up to 32 bits in 64-bit lanes, as unsigned numbers, because a mask and a shift
/// split an unsigned lane into halves. Signed integers are offset by 2^(bits - 1) first, and the
/// offsets are subtracted at the end.
template <class T>
struct wide_sum {
  using memory = T;
  using scalar = std::uint64_t;
  using U = std::make_unsigned_t<T>;
  using DU = hn::ScalableTag<U>;
  using D = hn::ScalableTag<std::uint64_t>;
  using value = hn::Vec<D>;
  static constexpr std::size_t elements = hn::MaxLanes(DU());
  static constexpr U offset =
      std::is_signed_v<T> ? static_cast<U>(U{1} << (8 * sizeof(T) - 1)) : U{0};

  HWY_INLINE static value start() { return hn::Zero(D()); }
  HWY_INLINE static value combine(value a, value b) { return hn::Add(a, b); }
  /// The element that is 0 as an unsigned number with its offset.
  HWY_INLINE static memory filler(memory) { return static_cast<T>(offset); }
  HWY_INLINE static value absorb(value a, memory const* x) {
    DU const du;
    auto v = hn::LoadU(du, reinterpret_cast<U const*>(x));
    if constexpr (offset != 0) v = hn::Xor(v, hn::Set(du, offset));
    if constexpr (sizeof(T) == 1) {
      return hn::Add(a, hn::SumsOf8(v));
    } else if constexpr (sizeof(T) == 2) {
      hn::ScalableTag<std::uint32_t> const d32;
      auto const pairs = hn::BitCast(d32, v);
      return add_halves(a,
                        hn::Add(hn::And(pairs, hn::Set(d32, 0xffff)), hn::ShiftRight<16>(pairs)));
    } else {
      return add_halves(a, v);
    }
  }
  HWY_INLINE static scalar total(value a, std::size_t n) {
    return lane_fold<lane_add, plain_codec<std::uint64_t>>::total(a, 0) - n * scalar{offset};
  }

 private:
  template <class V>
  HWY_INLINE static value add_halves(value a, V v) {
    D const d;
    auto const wide = hn::BitCast(d, v);
    return hn::Add(hn::Add(a, hn::And(wide, hn::Set(d, 0xffffffffu))), hn::ShiftRight<32>(wide));
  }
};

/// Products of integers of up to 32 bits in 64-bit lanes. Neighbors are multiplied in lanes of
/// twice their width, which hold every such product, so that products of 64 bits, which take
/// several instructions, are one for two to eight elements.
template <class T>
struct wide_product {
  using memory = T;
  using scalar = std::uint64_t;
  using D = hn::ScalableTag<std::uint64_t>;
  using value = hn::Vec<D>;
  static constexpr std::size_t elements = hn::MaxLanes(hn::ScalableTag<T>());

  HWY_INLINE static value start() { return hn::Set(D(), 1); }
  HWY_INLINE static value combine(value a, value b) { return hn::Mul(a, b); }
  HWY_INLINE static memory filler(memory) { return 1; }
  HWY_INLINE static value absorb(value a, memory const* x) {
    return hn::Mul(a, of_neighbors(hn::LoadU(hn::ScalableTag<T>(), x)));
  }
  HWY_INLINE static scalar total(value a, std::size_t) {
    return lane_fold<lane_multiply, plain_codec<std::uint64_t>>::total(a, 0);
  }

 private:
  template <class V>
  HWY_INLINE static value of_neighbors(V v) {
    using S = hn::TFromV<V>;
    if constexpr (sizeof(S) == 4) {
      auto const odd = hn::ShiftRight<32>(hn::BitCast(D(), v));
      return hn::BitCast(D(), hn::MulEven(v, hn::BitCast(hn::DFromV<V>(), odd)));
    } else {
      constexpr int bits = 8 * sizeof(S);
      hn::RepartitionToWide<hn::DFromV<V>> const wide;
      auto const both = hn::BitCast(wide, v);
      auto const even = hn::ShiftRight<bits>(hn::ShiftLeft<bits>(both));
      return of_neighbors(hn::Mul(even, hn::ShiftRight<bits>(both)));
    }
  }
};

/// Copies `count` elements, fewer than a register's, and fills the register with `filler`. Those of
/// 32 and 64 bits in one piece: a load waits for what has just been stored in several.
template <std::size_t e, class T>
HWY_INLINE void copy_last(T const* x, std::size_t count, T filler, T (&last)[e]) {
#if HWY_MAX_BYTES >= 32
  if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
    using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    hn::ScalableTag<word> const d;
    static_assert(hn::MaxLanes(d) == e);
    auto const mask = hn::FirstN(d, count);
    auto const v = hn::MaskedLoad(mask, d, reinterpret_cast<word const*>(x));
    auto const rest = hn::Set(d, std::bit_cast<word>(filler));
    return hn::StoreU(hn::IfThenElse(mask, v, rest), d, reinterpret_cast<word*>(last));
  }
#endif
  for (auto& element : last) element = filler;
  std::memcpy(last, x, count * sizeof(T));
}

/// Eight accumulators hide the latency of the additions.
template <class Fold>
HWY_NOINLINE typename Fold::scalar free_reduce(typename Fold::memory const* x, std::size_t n) {
  constexpr std::size_t e = Fold::elements, step_bytes = 8 * e * sizeof(*x);
  std::size_t const ahead = prefetch_distance(n * sizeof(*x));
  auto a0 = Fold::start(), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0, a6 = a0, a7 = a0;
  std::size_t i = 0;
  for (; i + 8 * e <= n; i += 8 * e) {
    if (ahead != 0)
      for (std::size_t byte = 0; byte < step_bytes; byte += 64)
        __builtin_prefetch(reinterpret_cast<char const*>(x + i) + ahead + byte, 0, 2);
    a0 = Fold::absorb(a0, x + i);
    a1 = Fold::absorb(a1, x + i + e);
    a2 = Fold::absorb(a2, x + i + 2 * e);
    a3 = Fold::absorb(a3, x + i + 3 * e);
    a4 = Fold::absorb(a4, x + i + 4 * e);
    a5 = Fold::absorb(a5, x + i + 5 * e);
    a6 = Fold::absorb(a6, x + i + 6 * e);
    a7 = Fold::absorb(a7, x + i + 7 * e);
  }
  a0 = Fold::combine(Fold::combine(a0, a4), Fold::combine(a2, a6));
  a1 = Fold::combine(Fold::combine(a1, a5), Fold::combine(a3, a7));
  a0 = Fold::combine(a0, a1);
  for (; i + e <= n; i += e) a0 = Fold::absorb(a0, x + i);
  if (i < n) {
    HWY_ALIGN typename Fold::memory last[e];
    copy_last(x + i, n - i, Fold::filler(x[i]), last);
    a0 = Fold::absorb(a0, last);
  }
  return Fold::total(a0, n);
}

#else

template <class Op, class Codec>
struct lane_fold {
  using codec = Codec;
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;
  HWY_INLINE static scalar start() { return Op::template neutral<scalar>(); }
  HWY_INLINE static scalar absorb(scalar a, memory x) {
    return Op::on_scalars(a, Codec::decode(x));
  }
};

template <class T>
struct wide_sum {
  using memory = T;
  using scalar = std::uint64_t;
  HWY_INLINE static scalar start() { return 0; }
  HWY_INLINE static scalar absorb(scalar a, memory x) { return a + static_cast<scalar>(x); }
};

template <class T>
struct wide_product {
  using memory = T;
  using scalar = std::uint64_t;
  HWY_INLINE static scalar start() { return 1; }
  HWY_INLINE static scalar absorb(scalar a, memory x) { return a * static_cast<scalar>(x); }
};

template <class Fold>
typename Fold::scalar free_reduce(typename Fold::memory const* x, std::size_t n) {
  auto a = Fold::start();
  for (std::size_t i = 0; i < n; ++i) a = Fold::absorb(a, x[i]);
  return a;
}

#endif

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
