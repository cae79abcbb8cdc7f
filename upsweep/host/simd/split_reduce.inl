/// The total of a block by an operator whose accumulator is made of two or four numbers, once for
/// each SIMD target.
///
/// Level by level of the tree: pairs of adjacent registers are combined into one, through an array
/// in L1. Level i combines the lanes at a distance of 2^(i mod log2(lanes)) lanes, so after every
/// log2(lanes) levels the lanes are in the order of the elements again. All values of a level are
/// independent, which hides the latency of long operators.

#if defined(UPSWEEP_SIMD_SPLIT_REDUCE) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_SPLIT_REDUCE
#undef UPSWEEP_SIMD_SPLIT_REDUCE
#else
#define UPSWEEP_SIMD_SPLIT_REDUCE
#endif

#include <upsweep/host/blocks.hpp>
#include <upsweep/host/simd/split_operators.inl>

#include <bit>
#include <cstddef>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

/// prefix(n) of the elements at x.
template <class Op, class T>
class split_reduce {
 public:
  using A = accumulator_t<Op, T>;

  static A run(T const* x, std::size_t n) {
    std::size_t block = std::bit_floor(n);
    A total = block_total(x, block);
    while ((n -= block) != 0) {
      x += block;
      block = std::bit_floor(n);
      total = Op{}(total, block_total(x, block));
    }
    return total;
  }

 private:
  /// The total of n elements, a power of two.
  static A block_total(T const* x, std::size_t n) {
    if (n > largest) {
      A const earlier = block_total(x, n / 2);
      return Op{}(earlier, block_total(x + n / 2, n / 2));
    }
#if UPSWEEP_SIMD_VECTORS
    if (n >= least) {
      V room[largest / least];
      V const v = levels<sizeof(lane)>(elements{x}, registers{room}, n / lanes, 1);
      if (A const total = total_of_first_lane<A>(n, v); Lanes::is_regular(total)) return total;
    }
#endif
    source<T const*, upsweep::detail::as_is, Op, false> const in_order(x, n, {}, Op{});
    return total_in_order(in_order, 0, upsweep::detail::floor_log2(n), Op{});
  }

  static constexpr std::size_t largest = 2048;

#if UPSWEEP_SIMD_VECTORS
  using Lanes = typename lane_operator<Op>::type;
  using lane = typename Lanes::template lane<T>;
  using D = hn::ScalableTag<lane>;
  using V = typename Lanes::template totals<D>;
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr std::size_t least = lanes << Lanes::levels_at_once;

  struct elements {
    T const* x;
    HWY_INLINE hn::Vec<D> operator[](std::size_t i) const {
      return Lanes::load(D(), hn::LoadU(hn::Rebind<T, D>(), x + i * lanes));
    }
  };

  /// Totals in memory, copied member by member: g++ 12 copies a struct of two registers by halves
  /// of registers, and the next load of a whole one then waits for both.
  struct registers {
    V* v;
    HWY_INLINE V operator[](std::size_t i) const { return members_of(v[i]); }
    HWY_INLINE void store(std::size_t i, V total) const { store_members(total, v[i]); }
  };

  /// The distance in bytes of the lanes that are combined `count` levels later.
  static constexpr int later(int distance, int count) {
    for (; count > 0; --count)
      distance = 2 * distance < vector_bytes<D> ? 2 * distance : static_cast<int>(sizeof(lane));
    return distance;
  }

  /// The total of `count` registers, in the first lane. A lane is the total of `size` elements.
  template <int distance, class Registers>
  static V levels(Registers from, registers to, std::size_t count, int size) {
    constexpr int step = Lanes::levels_at_once, next = later(distance, step);
    constexpr std::size_t many = Lanes::template registers_at_once<lane>;
    count >>= step;
    std::size_t j = 0;
    for (; j + many <= count; j += many) level<step, distance, many>(from, to, j, size);
    for (; j < count; ++j) level<step, distance, 1>(from, to, j, size);
    size <<= step;
    if (count >> step != 0) return levels<next>(to, to, count, size);
    if (count == 2) {
      level<1, next, 1>(to, to, 0, size);
      return across_lanes<later(next, 1)>(to[0], 2 * size);
    }
    return across_lanes<next>(to[0], size);
  }

  /// to[j, j + many) after k levels.
  template <int k, int distance, std::size_t many, class Registers>
  HWY_INLINE static void level(Registers from, registers to, std::size_t j, int size) {
    V total[many];
    combine<k, distance>(from, j, size, total);
    for (std::size_t i = 0; i < many; ++i) to.store(j + i, total[i]);
  }
  template <int k, int distance, class Registers, class Value, std::size_t many>
  HWY_INLINE static void combine(Registers const& from, std::size_t j, int size,
                                 Value (&total)[many]) {
    if constexpr (k == 0) {
      for (std::size_t i = 0; i < many; ++i) total[i] = from[j + i];
    } else {
      std::conditional_t<k == 1, std::remove_cvref_t<decltype(from[0])>, V> below[2 * many];
      combine<k - 1, distance>(from, 2 * j, size, below);
      for (std::size_t i = 0; i < many; ++i)
        pair_lanes<later(distance, k - 1)>(D(), below[2 * i], below[2 * i + 1]);
      Lanes::combine(D(), below, size << (k - 1), total);
    }
  }

  /// The total of `groups` lanes at multiples of `distance`, in the first lane.
  template <int distance, std::size_t groups = lanes>
  HWY_INLINE static V across_lanes(V v, int size) {
    if constexpr (groups == 1) {
      return v;
    } else {
      V const both[] = {v, swap<distance>(D(), v)};
      V total[1];
      Lanes::combine(D(), both, size, total);
      return across_lanes<later(distance, 1), groups / 2>(total[0], 2 * size);
    }
  }
#endif
};

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
