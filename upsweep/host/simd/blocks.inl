/// The up-sweep and down-sweep of one aligned block of elements, once for each SIMD target.
///
/// up() computes a block's total and keeps what down() needs; down() turns the block's exclusive
/// prefix into the prefixes of its elements. A vector block is a few registers. Besides loads and
/// stores it costs, per register:
///                          shuffles   operators
///   32-bit lanes, 512 bits   5.0        4
///   64-bit lanes, 512 bits   3.5        5
/// A transposition inside 128-bit blocks makes the two lowest levels (with 64-bit lanes: one)
/// vertical, and the values that the up-sweep shuffles are those that the down-sweep needs.

#if defined(UPSWEEP_SIMD_BLOCKS) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_BLOCKS
#undef UPSWEEP_SIMD_BLOCKS
#else
#define UPSWEEP_SIMD_BLOCKS
#endif

#include <upsweep/host/simd/codecs.inl>
#include <upsweep/host/simd/operators.inl>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

/// 2^K elements, one by one. The nodes of the tree have the layout of the textbook's in-place
/// algorithm: node[i] is the total of the 2^z elements that end at element i, where z is the number
/// of trailing zeros of i + 1.
template <class Op, class Codec, int K>
struct scalar_block {
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;
  using value = scalar;
  static constexpr std::size_t elements = std::size_t{1} << K;

  struct raised {
    scalar node[elements];
    scalar total;
  };
  HWY_INLINE static raised up(memory const* x) {
    raised u;
    up_half<K, 0>(u, x);
    u.total = u.node[elements - 1];
    return u;
  }

  /// Without a prefix (at the start of the input), the first exclusive result is not written.
  template <bool has_prefix = true>
  HWY_INLINE static void down(raised const& u, scalar prefix, scalar next, scalar const* initial,
                              bool inclusive, cached_output& out) {
    memory* const here = out.template next<memory>(elements);
    if (inclusive)
      down_half<true, has_prefix, K, 0>(u, prefix, next, initial, here);
    else
      down_half<false, has_prefix, K, 0>(u, prefix, next, initial, here);
  }

  HWY_INLINE static scalar combine(scalar earlier, scalar later) {
    return Op::on_scalars(earlier, later);
  }
  HWY_INLINE static scalar spread(scalar x) { return x; }
  HWY_INLINE static scalar first(scalar x) { return x; }

 private:
  template <int k, std::size_t at>
  HWY_INLINE static void up_half(raised& u, memory const* x) {
    constexpr std::size_t middle = at + (std::size_t{1} << k) / 2, end = at + (std::size_t{1} << k);
    if constexpr (k == 0) {
      u.node[at] = Codec::decode(x[at]);
    } else {
      up_half<k - 1, at>(u, x);
      up_half<k - 1, middle>(u, x);
      u.node[end - 1] = Op::on_scalars(u.node[middle - 1], u.node[end - 1]);
    }
  }

  template <bool inclusive, bool has_prefix, int k, std::size_t at>
  HWY_INLINE static void down_half(raised const& u, scalar prefix, scalar next,
                                   scalar const* initial, memory* out) {
    constexpr std::size_t middle = at + (std::size_t{1} << k) / 2;
    if constexpr (k > 0) {
      scalar const left = u.node[middle - 1];
      scalar const before_middle = has_prefix ? Op::on_scalars(prefix, left) : left;
      down_half<inclusive, has_prefix, k - 1, at>(u, prefix, before_middle, initial, out);
      down_half<inclusive, true, k - 1, middle>(u, before_middle, next, initial, out);
    } else if constexpr (inclusive || has_prefix) {
      scalar const result = inclusive ? next : prefix;
      out[at] = Codec::encode(initial ? Op::on_scalars(*initial, result) : result);
    }
  }
};

constexpr int log2_of(std::size_t power) {
  return power == 1 ? 0 : 1 + log2_of(power / 2);
}

#if UPSWEEP_SIMD_VECTORS

/// A block of as many registers as there are lanes in 128 bits.
template <class Op, class Codec, class D>
struct vector_block {
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;
  using value = vector_t<scalar, D>;
  static constexpr int lane_bytes = static_cast<int>(sizeof(typename Codec::lane));
  static constexpr std::size_t rows = 16 / lane_bytes;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t elements = rows * lanes;
  static constexpr int levels = log2_of(lanes);

  struct raised {
    // Four rows: element 0, the total of 0 and 1, and element 2 of every four elements. Two rows:
    // element 0 of every two.
    value row[rows - 1];
    // At each level, the total of the left half in the lanes of the right half.
    value left[std::size_t{levels}];
    value total;  // of the block, in every lane
    HWY_INLINE raised() {}
  };

  HWY_INLINE static raised up(memory const* x) {
    D const d;
    value row[rows];
    for (std::size_t i = 0; i < rows; ++i) row[i] = loaded_once(d, Codec::load(d, x + i * lanes));
    transpose(d, row);
    raised u;
    u.row[0] = row[0];
    u.total = Op::on_lanes(row[0], row[1]);
    if constexpr (rows == 4) {
      u.row[1] = u.total;
      u.row[2] = row[2];
      u.total = Op::on_lanes(u.total, Op::on_lanes(row[2], row[3]));
    }
    up_levels<0>(u);
    return u;
  }

  /// `inclusive` is a bool, or a std::bool_constant that keeps the branch out of a loop (where it
  /// costs 9 %).
  template <class Flag, class Output>
  HWY_INLINE static void down(raised const& u, value prefix, value next, value const* initial,
                              Flag inclusive, Output& out) {
    D const d;
    value row[rows];
    row[0] = down_levels<levels>(u, prefix);
    row[1] = Op::on_lanes(row[0], u.row[0]);
    if constexpr (rows == 4) {
      row[2] = Op::on_lanes(row[0], u.row[1]);
      row[3] = Op::on_lanes(row[2], u.row[2]);
    }
    if (inclusive) {
      auto const last = advance(d, row[0], next);
      for (std::size_t i = 1; i < rows; ++i) row[i - 1] = row[i];
      row[rows - 1] = last;
    }
    if (initial)
      for (std::size_t i = 0; i < rows; ++i) row[i] = Op::on_lanes(*initial, row[i]);
    transpose(d, row);
    for (std::size_t i = 0; i < rows; ++i) Codec::store(d, row[i], out);
  }

  HWY_INLINE static value combine(value earlier, value later) {
    return Op::on_lanes(earlier, later);
  }
  HWY_INLINE static value spread(scalar x) { return broadcast(D(), x); }
  HWY_INLINE static scalar first(value v) { return first_lane(D(), v); }

 private:
  static constexpr int block_levels = log2_of(static_cast<std::size_t>(vector_bytes<D>) / 16);
  /// Level 0 combines adjacent 128-bit blocks, because after the transposition their lanes hold
  /// adjacent elements of memory.
  static constexpr int distance(int level) {
    return level < block_levels ? 16 << level : lane_bytes << (level - block_levels);
  }

  /// With a commutative operator every lane is combined with its partner, so every lane gets the
  /// total. Otherwise the halves would have to be put in the right order, so only the last lane of
  /// each half is kept correct.
  template <int level>
  HWY_INLINE static void up_levels(raised& u) {
    D const d;
    if constexpr (level < levels) {
      if constexpr (Op::commutative)
        u.left[level] = swap<distance(level)>(d, u.total);
      else
        u.left[level] = choose_lanes(d, u.total, memory_order<D>::template left_total_from<level>);
      u.total = Op::on_lanes(u.left[level], u.total);
      up_levels<level + 1>(u);
    } else if constexpr (!Op::commutative) {
      u.total = choose_lanes(d, u.total, memory_order<D>::last_from);
    }
  }

  /// The prefix of each lane: at each level, the right half appends the total of the left half to
  /// its prefix.
  template <int level>
  HWY_INLINE static value down_levels(raised const& u, value prefix) {
    if constexpr (level == 0) {
      return prefix;
    } else {
      D const d;
      value const right = Op::on_lanes(prefix, u.left[level - 1]);
      return down_levels<level - 1>(u, join<distance(level - 1)>(d, right, prefix));
    }
  }
};

#endif

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
