/// The total of a tile in the tree's order, once for each SIMD target.
///
/// Two registers are reduced to one by combining the pairs of adjacent values in both: one blend,
/// one shuffle of both registers, one operator; a blend more at a distance of 4 bytes without
/// AVX-512. After log2(lanes) such rounds `lanes` registers have become one, whose lane i is the
/// total of register i. These registers are the input of the next level. With AVX2 that takes 3.4
/// vector instructions per register of floats, 2.7 of doubles, where mode::fast needs one. Measured
/// on Zen 4 against it: 0.45 of its speed in L1, 0.8 to 0.85 in L2 and L3, the same in DRAM.

#if defined(UPSWEEP_SIMD_TREE_REDUCE) == defined(HWY_TARGET_TOGGLE)
#ifdef UPSWEEP_SIMD_TREE_REDUCE
#undef UPSWEEP_SIMD_TREE_REDUCE
#else
#define UPSWEEP_SIMD_TREE_REDUCE
#endif

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/blocks.inl>
#include <upsweep/host/simd/families.hpp>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {

/// The total of a sequence of blocks, combined from left to right, largest first.
template <class Op, class S>
struct fold_of_blocks {
  S value{};
  bool empty = true;

  HWY_INLINE void append(S block) {
    value = empty ? block : Op::on_scalars(value, block);
    empty = false;
  }
};

/// Appends x[0, n) with n < 2^(K+1), a block for each set bit of n.
template <class Op, class Codec, int K>
HWY_INLINE void append_digits(fold_of_blocks<Op, typename Codec::scalar>& fold,
                              typename Codec::memory const* x, std::size_t n) {
  if (n >> K & 1) {
    fold.append(scalar_block<Op, Codec, K>::up(x).total);
    x += std::size_t{1} << K;
  }
  if constexpr (K > 0) append_digits<Op, Codec, K - 1>(fold, x, n);
}

#if UPSWEEP_SIMD_VECTORS

template <class Op, class Codec>
class tree_reduce {
 public:
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;
  using D = hn::ScalableTag<typename Codec::lane>;
  using V = vector_t<scalar, D>;

  HWY_INLINE static scalar run(memory const* x, std::size_t n) {
    fold_of_blocks<Op, scalar> fold;
    if (n >= lanes * lanes) run_large(fold, x, n);
    std::size_t const registers = n / lanes;
    append_registers(fold, elements{x}, registers);
    append_digits<Op, Codec, rounds - 1>(fold, x + registers * lanes, n % lanes);
    return fold.value;
  }

 private:
  static constexpr std::size_t lanes = hn::MaxLanes(D());
  static constexpr int rounds = log2_of(lanes);
  static constexpr int lane_bytes = static_cast<int>(sizeof(typename Codec::lane));

  /// Every `stride`-th register from x on.
  struct elements {
    memory const* x;
    std::size_t stride = 1;
    HWY_INLINE V operator[](std::size_t i) const {
      return loaded_once(D(), Codec::load(D(), x + i * stride * lanes));
    }
  };
  /// A pair's registers are read one by one: g++ 12 copies the struct by halves of registers, and
  /// the next load of a whole one waits for both.
  struct registers {
    V const* v;
    HWY_INLINE V operator[](std::size_t i) const {
      if constexpr (std::is_same_v<V, pair_vector<D>>)
        return {v[i].a, v[i].b};
      else
        return v[i];
    }
  };

  /// Totals of larger and larger blocks, `lanes` of them in a register and fewer than `lanes`
  /// registers at each level: the digits of a counter in base `lanes`.
  struct pending_blocks {
    V level[std::size_t{64 / rounds}][lanes];
    std::size_t count[std::size_t{64 / rounds}];
    int height = 0;
    HWY_INLINE pending_blocks() {}
  };

  /// Combines the pairs at `distance` in two registers; the results of `a` go to the left lanes.
  template <int distance>
  HWY_INLINE static V halve(V a, V b) {
    D const d;
    if constexpr (Op::commutative) {
      return Op::on_lanes(join<distance>(d, b, a), exchange<distance>(d, a, b));
    } else {
      pair_lanes<distance>(d, a, b);
      return Op::on_lanes(a, b);
    }
  }
  template <int distance>
  HWY_INLINE static V pair_up(V v) {
    D const d;
    V const swapped = swap<distance>(d, v);
    if constexpr (Op::commutative)
      return Op::on_lanes(v, swapped);
    else
      return Op::on_lanes(join<distance>(d, swapped, v), join<distance>(d, v, swapped));
  }

  /// The registers source[i, i + 2^k) after k rounds.
  template <int k, class Source>
  HWY_INLINE static V gather(Source const& source, std::size_t i) {
    if constexpr (k == 0) {
      return source[i];
    } else {
      // Evaluated first, so that addresses ascend: in DRAM any other order took up to twice as
      // long.
      V const first = gather<k - 1>(source, i);
      V const second = gather<k - 1>(source, i + (std::size_t{1} << (k - 1)));
      return halve<lane_bytes << (k - 1)>(first, second);
    }
  }
  template <int from, int to>
  HWY_INLINE static V pair_up_levels(V v) {
    if constexpr (from < to)
      return pair_up_levels<from + 1, to>(pair_up<lane_bytes << from>(v));
    else
      return v;
  }

  /// Appends the total of the registers source[i, i + 2^k).
  template <int k, class Source>
  HWY_INLINE static void append_block(fold_of_blocks<Op, scalar>& fold, Source const& source,
                                      std::size_t i) {
    V const rounded = pair_up_levels<k, rounds>(gather<k>(source, i));
    fold.append(first_lane(D(), pair_up_levels<0, k>(rounded)));
  }
  template <int k = rounds - 1, class Source>
  HWY_INLINE static void append_registers(fold_of_blocks<Op, scalar>& fold, Source const& source,
                                          std::size_t count, std::size_t i = 0) {
    if (count >> k & 1) {
      append_block<k>(fold, source, i);
      i += std::size_t{1} << k;
    }
    if constexpr (k > 0) append_registers<k - 1>(fold, source, count, i);
  }

  HWY_INLINE static void push(pending_blocks& t, V v) {
    for (int k = 0;; ++k) {
      if (k == t.height) t.count[t.height++] = 0;
      t.level[k][t.count[k]++] = v;
      if (t.count[k] < lanes) return;
      t.count[k] = 0;
      v = gather<rounds>(registers{t.level[k]}, 0);
    }
  }

  /// The number of elements of totals<depth>.
  static constexpr std::size_t size(int depth) {
    return depth == 0 ? lanes * lanes : size(depth - 1) * (depth == 1 ? 2 : lanes);
  }

  /// The elements of the next totals<1>, to L2.
  HWY_INLINE static void prefetch(char const* from) {
    constexpr std::size_t line = 64;
    for (std::size_t i = 0; i < size(1) * sizeof(memory); i += line)
      __builtin_prefetch(from + i, 0, 2);
  }

  /// Reduces size(depth) elements to one register: lane i has the total of the i-th of `lanes`
  /// equal parts. `ahead`: the distance in bytes at which memory is prefetched, or 0.
  template <int depth>
  HWY_INLINE static V totals(memory const* x, std::size_t ahead) {
    if constexpr (depth == 0) {
      return gather<rounds>(elements{x}, 0);
    } else if constexpr (depth == 1) {
      if (ahead != 0) prefetch(reinterpret_cast<char const*>(x) + ahead);
      // The totals of registers 2i and 2i + 1 get the same lane, so this level needs no shuffle.
      V const even = gather<rounds>(elements{x, 2}, 0);
      return Op::on_lanes(even, gather<rounds>(elements{x + lanes, 2}, 0));
    } else {
      V part[lanes];
      fill<depth, 0>(part, x, ahead);
      return gather<rounds>(registers{part}, 0);
    }
  }

  /// The parts of totals<depth> from part `first` on; unrolled, because a loop's last branch would
  /// be mispredicted.
  template <int depth, std::size_t first>
  HWY_INLINE static void fill(V (&part)[lanes], memory const* x, std::size_t ahead) {
#pragma GCC unroll 8
    for (std::size_t i = first; i < lanes; ++i)
      part[i] = totals<depth - 1>(x + i * size(depth - 1), ahead);
  }

  /// Appends n < size(depth + 1) elements except for the last n % lanes^2, and moves x and n past
  /// them.
  template <int depth>
  HWY_INLINE static void append_totals(fold_of_blocks<Op, scalar>& fold, memory const*& x,
                                       std::size_t& n) {
    V part[lanes];
    std::size_t count = 0;
    for (; n >= size(depth); n -= size(depth), x += size(depth))
      part[count++] = totals<depth>(x, 0);
    append_registers(fold, registers{part}, count);
    if constexpr (depth > 0) append_totals<depth - 1>(fold, x, n);
  }

  /// Appends all but the last n % lanes^2 elements. The number of registers in one step is fixed
  /// and large, because a counter's branch every few registers was mispredicted so often that the
  /// reduction took three times as long. The parts of a step are combined after the first part of
  /// the next one: at once, they would wait in the CPU's scheduler, which is small.
  HWY_NOINLINE static void run_large(fold_of_blocks<Op, scalar>& fold, memory const*& x,
                                     std::size_t& n) {
    constexpr int depth = lanes == 2 ? 6 : lanes == 4 ? 3 : 2;
    constexpr std::size_t step = size(depth);
    if (n >= step) {
      pending_blocks t;
      V part[lanes];
      std::size_t const ahead = prefetch_distance(n * sizeof(memory));
      for (bool is_first = true; n >= step; n -= step, x += step, is_first = false) {
        V const next = totals<depth - 1>(x, ahead);
        if (!is_first) push(t, gather<rounds>(registers{part}, 0));
        part[0] = next;
        fill<depth, 1>(part, x, ahead);
      }
      push(t, gather<rounds>(registers{part}, 0));
      for (int k = t.height; k-- > 0;) append_registers(fold, registers{t.level[k]}, t.count[k]);
    }
    append_totals<depth - 1>(fold, x, n);
  }
};

#else

template <class Op, class Codec>
class tree_reduce {
 public:
  using memory = typename Codec::memory;
  using scalar = typename Codec::scalar;

  static scalar run(memory const* x, std::size_t n) {
    using block = scalar_block<Op, Codec, 4>;
    scalar total[detail::size_digits];  // for each binary digit of the number of blocks so far
    std::size_t const blocks = n / block::elements;
    for (std::size_t b = 0; b < blocks; ++b, x += block::elements) {
      scalar sum = block::up(x).total;
      int k = 0;
      for (std::size_t digits = b; digits & 1; digits >>= 1) sum = Op::on_scalars(total[k++], sum);
      total[k] = sum;
    }
    fold_of_blocks<Op, scalar> fold;
    for (int k = detail::size_digits; k-- > 0;)
      if (blocks >> k & 1) fold.append(total[k]);
    append_digits<Op, Codec, 3>(fold, x, n % block::elements);
    return fold.value;
  }
};

#endif

}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
