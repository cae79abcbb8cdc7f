/// The combine tree over the lanes of a warp and the elements of a lane, for all kernels.
///
/// A butterfly gives each lane the total of its aligned block on every level, and on the way the
/// sibling's. The exclusive prefix of a lane then needs no more shuffles: it combines the siblings
/// at the set bits of the lane's number, which is prefix() of docs/contracts.md.
#pragma once

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/simt/kernel.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

inline constexpr unsigned whole_warp = 0xffffffffU;

/// The number of this warp in its block. It is the result of a shuffle, so that the compiler knows
/// that it is uniform in the warp. Otherwise instructions that reconverge the warp precede every
/// shuffle after a test of it, which made the code of the ring 1.5 times as long.
__forceinline__ __device__ unsigned warp_in_block() {
  return simt::shuffle(whole_warp, threadIdx.x / 32, 0);
}

using simt::boxed;

/// Shared memory for `count` values.
template <class A, unsigned count>
using shared_values = boxed<A>[count];

/// Whether what `Op` does depends on the number of elements in its right operand, as recurrences do
/// (recurrence/powers.hpp). Kernels know it: the right operand is a block of the combine tree.
template <class Op>
inline constexpr bool depends_on_length = requires(Op const& op) { op.raised(0); };

/// `op` for values that are totals of 2^levels times as many elements.
template <class Op>
__device__ constexpr decltype(auto) raised(Op const& op, [[maybe_unused]] unsigned levels) {
  if constexpr (depends_on_length<Op>)
    return op.raised(levels);
  else
    return (op);
}
/// The operator that kernels apply to single elements, given that of a source.
template <class Op>
using combine_of = std::remove_cvref_t<decltype(raised(std::declval<Op const&>(), 0))>;

/// log2 of a power of two.
template <unsigned size>
inline constexpr unsigned level_of = static_cast<unsigned>(std::bit_width(size)) - 1;

/// A 32-bit sum, for sums of integers whose results are stored in at most 32 bits.
struct plus_32 {
  static constexpr bool commutative = true, exact = true;
  template <class>
  using accumulator = unsigned;
  template <class A>
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const {
    return 0;
  }
  template <class T>
  [[nodiscard]] UPSWEEP_BOTH constexpr unsigned lift(T x) const {
    return static_cast<unsigned>(x);
  }
  [[nodiscard]] UPSWEEP_BOTH constexpr unsigned operator()(unsigned earlier, unsigned later) const {
    return earlier + later;
  }
};
template <class Op>
inline constexpr bool is_sum = std::is_same_v<Op, plus> || std::is_same_v<Op, plus_32>;

/// Whether there is a value that is neutral in every bit: for sums of floats -0.0, as the identity
/// +0 would lose the sign of -0.0, otherwise the identity.
template <class Op, class A>
inline constexpr bool has_neutral = (is_sum<Op> || std::is_same_v<Op, multiplies> ||
                                     std::is_same_v<Op, min> || std::is_same_v<Op, max>) &&
                                    std::is_arithmetic_v<A>;

template <class Op, class A>
__device__ constexpr A neutral() {
  if constexpr (std::is_class_v<A>)
    return A{};  // the empty value of stream/chunk.hpp; zeros of recurrences
  else if constexpr (!is_sum<Op>)
    return Op{}.template identity<A>();
  else if constexpr (std::is_floating_point_v<A>)
    return -A{};
  else
    return A{};
}

/// first ? a : b. By value, because selecting an address would keep both in memory.
template <class T>
__device__ T select(bool first, T a, T b) {
  return first ? a : b;
}

/// A prefix under construction, which may be empty. If the operator has a neutral value, empty is
/// represented by that value and needs no test.
template <class A, class Op>
class prefix_of {
  static constexpr bool neutral_is_nothing = has_neutral<Op, A>;

 public:
  prefix_of() = default;
  /// `value` if `there`, otherwise empty. Then `value` is arbitrary: the operator may be applied to
  /// it, but no result depends on it.
  __device__ prefix_of(A const& value, bool there) : value_(value), there_(there) {
    if constexpr (neutral_is_nothing)
      if (!there) value_ = neutral<Op, A>();
  }

  /// Appends the total of the next block; `op` is raised to its level.
  __device__ void append(A const& total, Op const& op) {
    if constexpr (neutral_is_nothing)
      value_ = op(value_, total);
    else if (there_)
      value_ = op(value_, total);
    else
      value_ = total;
    there_ = true;
  }
  /// The same if `has`, which differs between lanes: by selects, because branches cost 5 % of a
  /// scan of affine maps.
  __device__ void append_if(bool has, A const& total, Op const& op) {
    if constexpr (neutral_is_nothing && !depends_on_length<Op>) {
      if (has) value_ = op(value_, total);
    } else {
      A const both = op(value_, total);
      value_ = select(has, select(there(), both, total), value_);
      there_ = there_ || has;
    }
  }
  __device__ bool there() const { return neutral_is_nothing || there_; }
  __device__ A const& value() const { return value_; }

  /// The prefix of the next lane; lane 31 receives `last`.
  __device__ prefix_of of_next_lane(prefix_of const& last, unsigned lane) const {
    A const next = simt::shuffle_down(whole_warp, value_, 1);
    return lane == 31 ? last : prefix_of(next, true);
  }
  /// Broadcasts the prefix of lane `source`. If lanes hold the prefixes of consecutive positions,
  /// only that of lane 0 may be empty; `there` says in every lane whether it is not.
  __device__ prefix_of from_lane(unsigned source, bool there) const {
    A const value = simt::shuffle(whole_warp, value_, static_cast<int>(source));
    return prefix_of(value, neutral_is_nothing || there || source > 0);
  }

 private:
  A value_;
  bool there_;
};

/// a op b, or b op a when `swapped`.
template <class A, class Op>
__device__ A combine_swapped(A const& a, A const& b, bool swapped, Op const& op) {
  if constexpr (is_commutative<Op>)
    return op(a, b);
  else
    return op(swapped ? b : a, swapped ? a : b);
}

/// The left siblings of one lane: total[k] is the total of the aligned block of 2^k lanes to the
/// left of the lane's own, where there is one. Otherwise it is some combination of values on which
/// no result depends.
template <class A, unsigned levels = 5>
struct siblings {
  A total[levels > 0 ? levels : 1];

  /// Appends the exclusive prefix of `lane` among the siblings to `p`, largest block first. `op` is
  /// that for the value of one lane.
  template <class Op>
  __device__ void append_to(prefix_of<A, Op>& p, unsigned lane, Op const& op) const {
#pragma unroll
    for (unsigned k = levels; k-- > 0;) p.append_if((lane >> k & 1) != 0, total[k], raised(op, k));
  }
};

/// Level k of a butterfly: replaces `mine`, the total of the lane's aligned block of 2^k lanes, by
/// that of 2^(k+1) lanes, and returns its sibling's. If the operator is not commutative, only the
/// last lane of a block has its total, and all lanes combine with the total of the left half: then
/// no lane has to select which operand comes first, which would be four of every nine instructions
/// for affine maps.
template <class A, class Op>
__device__ A butterfly_step(unsigned k, A& mine, Op const& op) {
  A const sibling = is_commutative<Op> ? simt::shuffle_xor(whole_warp, mine, 1 << k)
                                       : simt::shuffle(whole_warp, mine, (1 << k) - 1, 2 << k);
  mine = raised(op, k)(sibling, mine);
  return sibling;
}
/// The total of 2^levels lanes, in each of them, after `levels` steps.
template <unsigned levels, class A, class Op>
__device__ A butterfly_total(A const& mine) {
  return is_commutative<Op> ? mine
                            : simt::shuffle(whole_warp, mine, (1 << levels) - 1, 1 << levels);
}

/// Returns the total of the calling lane's aligned block of 2^levels lanes, and its siblings in
/// `beside`. Takes `levels` shuffles and applications.
template <unsigned levels, class A, class Op>
__device__ A butterfly(A mine, siblings<A, levels>& beside, Op const& op) {
#pragma unroll
  for (unsigned k = 0; k < levels; ++k) beside.total[k] = butterfly_step(k, mine, op);
  return butterfly_total<levels, A, Op>(mine);
}

/// The bits of `row`, which is less than `rows`, in reverse order. each_row_total() leaves the
/// total of row r in the lanes whose last bits are mirrored(r).
template <unsigned rows>
__device__ constexpr unsigned mirrored(unsigned row) {
  unsigned result = 0;
  for (unsigned bit = 1; bit < rows; bit *= 2) result = result * 2 + (row & bit ? 1 : 0);
  return result;
}

/// v[r] is one value of row r in each lane. Afterwards v[0] is the total of the values of row
/// mirrored<rows>(lane % rows) in the lane's aligned block of `rows` lanes. Each step halves the
/// rows of a lane and doubles the lanes that each value covers.
template <unsigned rows, class A, class Op>
__device__ void halve_rows(A (&v)[rows], unsigned lane, Op const& op) {
  if constexpr (rows > 1) {
#pragma unroll
    for (unsigned k = 0; k < level_of<rows>; ++k) {
      bool const upper = (lane >> k & 1) != 0;
      unsigned const half = rows >> (k + 1);
#pragma unroll
      for (unsigned i = 0; i < rows / 2; ++i) {
        if (i >= half) continue;
        A const mine = upper ? v[i + half] : v[i], theirs = upper ? v[i] : v[i + half];
        v[i] = combine_swapped(mine, simt::shuffle_xor(whole_warp, theirs, 1 << k), upper,
                               raised(op, k));
      }
    }
  }
}

/// v[r] is one value of row r in each lane. Returns the total of row mirrored<rows>(lane % rows),
/// by 9 shuffles for 8 rows, where one butterfly per row takes 40.
template <unsigned rows, class A, class Op>
__device__ A each_row_total(A (&v)[rows], unsigned lane, Op const& op) {
  halve_rows(v, lane, op);
#pragma unroll
  for (unsigned k = level_of<rows>; k < 5; ++k)
    v[0] = combine_swapped(v[0], simt::shuffle_xor(whole_warp, v[0], 1 << k), (lane >> k & 1) != 0,
                           raised(op, k));
  return v[0];
}

/// The total of `rows` rows of values, in row-major order, in every lane.
template <unsigned rows, class A, class Op>
__device__ A rows_total(A (&v)[rows], unsigned lane, Op const& op) {
  constexpr unsigned row_levels = level_of<rows>;
  A total = each_row_total(v, lane, op);
#pragma unroll
  for (unsigned k = row_levels; k-- > 0;)  // rows are in the lanes in bit-reversed order
    total = combine_swapped(total, simt::shuffle_xor(whole_warp, total, 1 << k),
                            (lane >> k & 1) != 0, raised(op, 5 + row_levels - 1 - k));
  return total;
}

/// op(a, b) for two blocks of the combine tree.
template <class A, class Op>
__device__ A of_blocks(A const& a, A const& b, Op const& op) {
  if constexpr (depends_on_length<Op>)
    return op.of_blocks(a, b);
  else
    return op(a, b);
}

/// The tree over `count` values of one thread, where count is a power of two.
template <class A, unsigned count>
struct thread_tree {
  static constexpr unsigned levels = level_of<count>;
  A node[2 * count];  // a heap: node[1] is the total, node[count + i] value i

  template <class Op>
  __device__ void up(Op const& op) {
#pragma unroll
    for (unsigned size = 1, k = 0; size < count; size *= 2, ++k)
#pragma unroll
      for (unsigned i = count / size - 1; i >= count / (2 * size); --i)
        node[i] = of_blocks(node[2 * i], node[2 * i + 1], raised(op, k));
  }
  __device__ A& value(unsigned i) { return node[count + i]; }
  __device__ A const& total() const { return node[1]; }

  /// prefix[i], 0 < i < count, becomes the exclusive prefix of value i, given prefix[0].
  template <class Op>
  __device__ void down(prefix_of<A, Op>* prefix, Op const& op) const {
#pragma unroll
    for (unsigned k = levels; k-- > 0;)
#pragma unroll
      for (unsigned i = 0; i < count; i += 2u << k) {
        unsigned const middle = i + (1u << k);
        prefix[middle] = prefix[i];
        prefix[middle].append(node[(count + i) >> k], raised(op, k));
      }
  }
};

}  // namespace upsweep::device
