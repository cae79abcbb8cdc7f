/// Vector values, once for each SIMD target: a register of numbers, or two registers for pairs of
/// numbers, and the shuffles of their lanes.
///
/// "Distance d" below is a power of two in bytes. Lanes whose byte offset has that bit set are
/// right lanes; the left partner of each is d bytes before it. All shuffles take one or two
/// instructions; only those with a distance of 16 bytes or more cross 128-bit blocks.

#if defined(UPSWEEP_SIMD_LANES) == defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef UPSWEEP_SIMD_LANES
#undef UPSWEEP_SIMD_LANES
#else
#define UPSWEEP_SIMD_LANES
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <utility>

// Whether this target has vectors. Without them, the scalar blocks are used, not Highway's
// fallback.
#undef UPSWEEP_SIMD_VECTORS
#define UPSWEEP_SIMD_VECTORS (HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128)

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Clears the upper halves of the vector registers. The compiler does that on paths that use them,
/// but g++ 12 moves a wide broadcast above the branch to the narrow code for short inputs, which
/// then returns without clearing: every call from SSE code took 100 ns more.
struct clean_registers {
  HWY_INLINE ~clean_registers() {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    __builtin_ia32_vzeroupper();
#endif
  }
};

/// Two numbers that an operator combines as one value; pair_vector has a register of each.
template <class Lane>
struct pair_value {
  Lane a, b;
};
// g++ compiles an implicit constructor for the file's instruction set instead of the target's, and
// cannot inline Highway's constructors for Arm into it. So structs of registers have explicit
// constructors.
template <class D>
struct pair_vector {
  hn::Vec<D> a, b;
  HWY_INLINE pair_vector() {}
  HWY_INLINE pair_vector(hn::Vec<D> first, hn::Vec<D> second) : a(first), b(second) {}
};

template <class Scalar, class D>
struct vector_over {
  using type = hn::Vec<D>;
};
template <class Lane, class D>
struct vector_over<pair_value<Lane>, D> {
  using type = pair_vector<D>;
};
/// The vector type that holds one `Scalar` in each lane of `D`.
template <class Scalar, class D>
using vector_t = typename vector_over<Scalar, D>::type;

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

#if HWY_TARGET != HWY_SCALAR
/// Transposes the 2x2 (64-bit lanes) or 4x4 (32-bit lanes) matrix that the registers `row` form in
/// each 128-bit block.
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
#endif

#if UPSWEEP_SIMD_VECTORS

/// Keeps the compiler from merging a load into each of two instructions that use its value, because
/// loads are the bottleneck of such loops (measured: up to 1.6 times slower without this).
template <class D>
HWY_INLINE hn::Vec<D> loaded_once(D, hn::Vec<D> v) {
#if HWY_ARCH_X86 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
  __asm__("" : "+v"(v.raw));
#endif
  return v;
}
template <class D>
HWY_INLINE pair_vector<D> loaded_once(D d, pair_vector<D> v) {
  return {loaded_once(d, v.a), loaded_once(d, v.b)};
}

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

#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
/// One bit for each lane, set for the right lanes.
template <int distance, class D>
struct right_lanes {
  static constexpr std::uint64_t bits = [] {
    std::uint64_t mask = 0;
    for (std::size_t lane = 0; lane < hn::MaxLanes(D()); ++lane)
      if (lane * sizeof(hn::TFromD<D>) & distance) mask |= std::uint64_t{1} << lane;
    return mask;
  }();
  static constexpr std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits),
                                            static_cast<std::uint8_t>(bits >> 8)};
};
#endif

/// The right lanes of `right` and the left lanes of `left`. (With mask registers, the compiler
/// merges the operation on `right` into `left` under the mask, which saves the blend; Highway's
/// blends use the inverted mask.)
template <int distance, class D>
HWY_INLINE hn::Vec<D> join(D d, hn::Vec<D> right, hn::Vec<D> left) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  return hn::IfThenElse(hn::LoadMaskBits(d, right_lanes<distance, D>::bytes), right, left);
#else
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
#endif
}
template <int distance, class D>
HWY_INLINE pair_vector<D> join(D d, pair_vector<D> right, pair_vector<D> left) {
  return {join<distance>(d, right.a, left.a), join<distance>(d, right.b, left.b)};
}

template <int distance, class D, std::size_t... lane>
HWY_INLINE hn::Vec<D> exchange(D, hn::Vec<D> a, hn::Vec<D> b, std::index_sequence<lane...>) {
  constexpr std::size_t step = distance / sizeof(hn::TFromD<D>);
  return hn::Vec<D>{__builtin_shufflevector(
      a.raw, b.raw,
      static_cast<int>((lane & step) != 0 ? lane - step + sizeof...(lane) : lane + step)...)};
}
/// The other lanes than those of join(b, a), each in the lane of its partner: in the left lanes
/// the right lanes of `a`, in the right lanes the left lanes of `b`. One instruction where there is
/// one: at distances of 8 bytes or more, and with AVX-512 at all. (The compilers find it; Highway
/// has no name for it.)
template <int distance, class D>
HWY_INLINE hn::Vec<D> exchange(D d, hn::Vec<D> a, hn::Vec<D> b) {
  if constexpr (distance >= 8 || HWY_TARGET <= HWY_AVX3)
    return exchange<distance>(d, a, b, std::make_index_sequence<hn::MaxLanes(D())>());
  else
    return swap<distance>(d, join<distance>(d, a, b));
}

/// Makes of two registers the operands that combine every left lane with its partner at `distance`:
/// `a` gets the left lanes of both, its own in the left lanes, and `b` the right lanes in the same
/// order.
template <int distance, class D>
HWY_INLINE void pair_lanes(D d, hn::Vec<D>& a, hn::Vec<D>& b) {
  hn::Vec<D> const first = a;
  if constexpr (distance == 8) {
    hn::Repartition<std::uint64_t, D> const halves;
    auto const lower = hn::BitCast(halves, a), upper = hn::BitCast(halves, b);
    a = hn::BitCast(d, hn::InterleaveLower(halves, lower, upper));
    b = hn::BitCast(d, hn::InterleaveUpper(halves, lower, upper));
  } else if constexpr (2 * distance == vector_bytes<D>) {
    a = hn::ConcatLowerLower(d, b, first);
    b = hn::ConcatUpperUpper(d, b, first);
  } else {
    a = join<distance>(d, swap<distance>(d, b), first);
    b = join<distance>(d, b, swap<distance>(d, first));
  }
}
template <int distance, class D>
HWY_INLINE void pair_lanes(D d, pair_vector<D>& a, pair_vector<D>& b) {
  pair_lanes<distance>(d, a.a, b.a);
  pair_lanes<distance>(d, a.b, b.b);
}

/// transpose() of both numbers.
template <class D, std::size_t rows>
HWY_INLINE void transpose(D d, pair_vector<D> (&row)[rows]) {
  hn::Vec<D> a[rows], b[rows];
  for (std::size_t i = 0; i < rows; ++i) a[i] = row[i].a, b[i] = row[i].b;
  transpose(d, a);
  transpose(d, b);
  for (std::size_t i = 0; i < rows; ++i) row[i] = {a[i], b[i]};
}

/// The order of lanes in memory after a transposition: lane i of 128-bit block c comes from block c
/// of row i, so consecutive lanes in memory are in consecutive blocks. The shuffle tables select,
/// in that order:
/// - `advance_from`: the next lane (for the last lane, itself);
/// - `left_total_from<level>`: for each lane of a right half, the last lane of its left half, where
///   halves have 2^level lanes;
/// - `last_from`: the last lane, for all lanes.
template <class D>
struct memory_order {
  using index = hwy::MakeUnsigned<hn::TFromD<D>>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t blocks = lanes * sizeof(index) / 16;
  static constexpr std::size_t places = lanes / blocks;
  struct alignas(64) table {
    index from[lanes];
  };

  static constexpr std::size_t position(std::size_t lane) {
    return lane % places * blocks + lane / places;
  }
  static constexpr index lane(std::size_t position) {
    return static_cast<index>(position % blocks * places + position / blocks);
  }

  static constexpr table advance_from = [] {
    table t{};
    for (std::size_t i = 0; i < lanes; ++i)
      t.from[i] = lane(position(i) + 1 < lanes ? position(i) + 1 : lanes - 1);
    return t;
  }();
  static constexpr table last_from = [] {
    table t{};
    for (index& from : t.from) from = static_cast<index>(lanes - 1);
    return t;
  }();
  template <int level>
  static constexpr table left_total_from = [] {
    table t{};
    for (std::size_t i = 0; i < lanes; ++i) {
      std::size_t const half = position(i) >> level;
      t.from[i] = lane(half % 2 == 1 ? (half << level) - 1 : position(i));
    }
    return t;
  }();
};

template <class D>
HWY_INLINE hn::Vec<D> choose_lanes(D d, hn::Vec<D> v, typename memory_order<D>::table const& t) {
  return hn::TableLookupLanes(v,
                              hn::IndicesFromVec(d, hn::Load(hn::RebindToUnsigned<D>(), t.from)));
}
template <class D>
HWY_INLINE pair_vector<D> choose_lanes(D d, pair_vector<D> v,
                                       typename memory_order<D>::table const& t) {
  return {choose_lanes(d, v.a, t), choose_lanes(d, v.b, t)};
}

/// Moves every lane's value to the lane before it in memory order, and `last` into the last lane.
template <class D>
HWY_INLINE hn::Vec<D> advance(D d, hn::Vec<D> v, hn::Vec<D> last) {
  using order = memory_order<D>;
  if constexpr (order::blocks == 1) {
    return hn::CombineShiftRightBytes<sizeof(hn::TFromD<D>)>(d, last, v);
  } else {
    hn::RebindToUnsigned<D> const index;
    auto const is_last = hn::Eq(
        hn::Iota(index, 0), hn::Set(index, static_cast<typename order::index>(order::lanes - 1)));
    return hn::IfThenElse(hn::RebindMask(d, is_last), last,
                          choose_lanes(d, v, order::advance_from));
  }
}
template <class D>
HWY_INLINE pair_vector<D> advance(D d, pair_vector<D> v, pair_vector<D> last) {
  return {advance(d, v.a, last.a), advance(d, v.b, last.b)};
}

/// a[0] b[0] a[1] b[1] ... in two registers.
template <class D>
HWY_INLINE void interleave(D d, pair_vector<D> v, hn::Vec<D>& first, hn::Vec<D>& second) {
  auto const lower = hn::InterleaveLower(d, v.a, v.b);  // of each 128-bit block
  auto const upper = hn::InterleaveUpper(d, v.a, v.b);
  if constexpr (vector_bytes<D> == 16) {
    first = lower;
    second = upper;
  } else if constexpr (vector_bytes<D> == 32) {
    first = hn::ConcatLowerLower(d, upper, lower);
    second = hn::ConcatUpperUpper(d, upper, lower);
  } else {
    // Concatenated halves have blocks 0 and 1 of `lower` and then of `upper`; swap the middle two.
    using order = memory_order<D>;
    static constexpr auto middle_swapped = [] {
      typename order::table t{};
      for (std::size_t i = 0; i < order::lanes; ++i) {
        std::size_t const block = i / order::places;
        std::size_t const from = block == 1 ? 2 : block == 2 ? 1 : block;
        t.from[i] = static_cast<typename order::index>(from * order::places + i % order::places);
      }
      return t;
    }();
    first = choose_lanes(d, hn::ConcatLowerLower(d, upper, lower), middle_swapped);
    second = choose_lanes(d, hn::ConcatUpperUpper(d, upper, lower), middle_swapped);
  }
}

#endif

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
