/// Values of one block of lanes, once for each SIMD target: a register of numbers or two registers of pairs, and the moves inside it.
///
/// "Distance d" below is a power of two in bytes: the lanes whose byte offset has that bit are the right ones, and each has its left
/// partner d bytes before it. All moves take one or two instructions; only those of 16 bytes and more cross 128-bit blocks.

#if defined(UPSWEEP_SIMD_LANES) == defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef UPSWEEP_SIMD_LANES
#undef UPSWEEP_SIMD_LANES
#else
#define UPSWEEP_SIMD_LANES
#endif

#include <hwy/highway.h>

#undef UPSWEEP_SIMD_VECTORS  // whether this target has vectors; Highway's fallback without them runs our scalar blocks instead
#define UPSWEEP_SIMD_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

HWY_BEFORE_NAMESPACE();
namespace upsweep::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Two numbers that an operator combines together, and the same for a register of each.
template <class Lane>
struct pair_value {
  Lane a, b;
};
template <class D>
struct pair_vector {
  hn::Vec<D> a, b;
};

template <class Scalar, class D>
struct vector_of {
  using type = hn::Vec<D>;
};
template <class Lane, class D>
struct vector_of<pair_value<Lane>, D> {
  using type = pair_vector<D>;
};
/// The value that holds one `Scalar` in each lane of `D`.
template <class Scalar, class D>
using vector_t = typename vector_of<Scalar, D>::type;

template <class D>
inline constexpr int vector_bytes = static_cast<int>(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>));

template <class D>
HWY_INLINE hn::Vec<D> broadcast(D d, hn::TFromD<D> x) {
  return hn::Set(d, x);
}
template <class D>
HWY_INLINE pair_vector<D> broadcast(D d, pair_value<hn::TFromD<D>> x) {
  return {hn::Set(d, x.a), hn::Set(d, x.b)};
}

template <class D>
HWY_INLINE hn::TFromD<D> first_lane(D, hn::Vec<D> v) {
  return hn::GetLane(v);
}
template <class D>
HWY_INLINE pair_value<hn::TFromD<D>> first_lane(D, pair_vector<D> v) {
  return {hn::GetLane(v.a), hn::GetLane(v.b)};
}

#if UPSWEEP_SIMD_VECTORS

/// Exchanges every lane with its partner at `distance`.
template <int distance, class D>
HWY_INLINE hn::Vec<D> swap(D d, hn::Vec<D> v) {
  if constexpr (distance == 4) {
    return hn::Shuffle2301(v);
  } else if constexpr (distance == 8) {
    if constexpr (sizeof(hn::TFromD<D>) == 8)
      return hn::Shuffle01(v);
    else
      return hn::Shuffle1032(v);
  } else if constexpr (distance == 16) {
    return hn::SwapAdjacentBlocks(v);
  } else {
    return hn::ConcatLowerUpper(d, v, v);
  }
}
template <int distance, class D>
HWY_INLINE pair_vector<D> swap(D d, pair_vector<D> v) {
  return {swap<distance>(d, v.a), swap<distance>(d, v.b)};
}

/// The right lanes of `right`, the left lanes of `left`.
template <int distance, class D>
HWY_INLINE hn::Vec<D> join(D d, hn::Vec<D> right, hn::Vec<D> left) {
  if constexpr (distance == sizeof(hn::TFromD<D>)) {
    return hn::OddEven(right, left);
  } else if constexpr (distance == 8) {
    hn::RepartitionToWide<D> const wide;
    return hn::BitCast(d, hn::OddEven(hn::BitCast(wide, right), hn::BitCast(wide, left)));
  } else if constexpr (distance == 16) {
    return hn::OddEvenBlocks(right, left);
  } else {
    return hn::ConcatUpperLower(d, right, left);
  }
}
template <int distance, class D>
HWY_INLINE pair_vector<D> join(D d, pair_vector<D> right, pair_vector<D> left) {
  return {join<distance>(d, right.a, left.a), join<distance>(d, right.b, left.b)};
}

/// Transposes the 2x2 (64-bit lanes) or 4x4 (32-bit lanes) squares that the registers `row` have in each 128-bit block.
template <class D>
HWY_INLINE void transpose(D d, hn::Vec<D> (&row)[2]) {
  auto const first = hn::InterleaveLower(d, row[0], row[1]);
  row[1] = hn::InterleaveUpper(d, row[0], row[1]);
  row[0] = first;
}
template <class D>
HWY_INLINE void transpose(D d, hn::Vec<D> (&row)[4]) {
  hn::RepartitionToWide<D> const wide;
  auto const a = hn::BitCast(wide, hn::InterleaveLower(d, row[0], row[1]));
  auto const b = hn::BitCast(wide, hn::InterleaveUpper(d, row[0], row[1]));
  auto const e = hn::BitCast(wide, hn::InterleaveLower(d, row[2], row[3]));
  auto const f = hn::BitCast(wide, hn::InterleaveUpper(d, row[2], row[3]));
  row[0] = hn::BitCast(d, hn::InterleaveLower(wide, a, e));
  row[1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, e));
  row[2] = hn::BitCast(d, hn::InterleaveLower(wide, b, f));
  row[3] = hn::BitCast(d, hn::InterleaveUpper(wide, b, f));
}
template <class D, int rows>
HWY_INLINE void transpose(D d, pair_vector<D> (&row)[rows]) {
  hn::Vec<D> a[rows], b[rows];
  for (int i = 0; i < rows; ++i) a[i] = row[i].a, b[i] = row[i].b;
  transpose(d, a);
  transpose(d, b);
  for (int i = 0; i < rows; ++i) row[i] = {a[i], b[i]};
}

/// After a transposition the lane (block c, place i) belongs to row i's block c, so memory order runs through the blocks first. This
/// moves every lane's value to the lane before it in that order, and `last` into the last lane.
template <class D>
HWY_INLINE hn::Vec<D> advance(D d, hn::Vec<D> v, hn::Vec<D> last) {
  using Lane = hn::TFromD<D>;
  constexpr int lanes = vector_bytes<D> / static_cast<int>(sizeof(Lane));
  constexpr int blocks = vector_bytes<D> / 16;
  if constexpr (blocks == 1) {
    return hn::CombineShiftRightBytes<sizeof(Lane)>(d, last, v);
  } else {
    using Index = hwy::MakeUnsigned<Lane>;
    constexpr int places = lanes / blocks;
    alignas(64) static constexpr auto from = [] {
      struct {
        Index lane[static_cast<std::size_t>(lanes)];
      } table{};
      for (int c = 0; c < blocks; ++c)
        for (int i = 0; i < places; ++i)
          table.lane[c * places + i] = static_cast<Index>(c + 1 < blocks ? (c + 1) * places + i : (i + 1) % places);
      return table;
    }();
    hn::RebindToUnsigned<D> const index;
    auto const is_last = hn::RebindMask(d, hn::Eq(hn::Iota(index, 0), hn::Set(index, static_cast<Index>(lanes - 1))));
    return hn::IfThenElse(is_last, last, hn::TableLookupLanes(v, hn::IndicesFromVec(d, hn::Load(index, from.lane))));
  }
}
template <class D>
HWY_INLINE pair_vector<D> advance(D d, pair_vector<D> v, pair_vector<D> last) {
  return {advance(d, v.a, last.a), advance(d, v.b, last.b)};
}

#endif

}  // namespace upsweep::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
