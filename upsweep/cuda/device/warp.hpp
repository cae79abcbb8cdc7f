/// The combine tree among the lanes of a warp and the elements of a lane, as every kernel evaluates
/// it.
///
/// A butterfly gives each lane the total of its aligned block on every level, and on the way the
/// sibling's. The exclusive prefix of a lane is then, without another shuffle, the fold of the
/// siblings at the set binary digits of its number: prefix() of docs/contracts.md.
#pragma once

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/simt/kernel.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

inline constexpr unsigned whole_warp = 0xffffffffU;

/// The number of this warp in its block. It comes out of a shuffle, so that the compiler sees that
/// it is the same for all lanes: otherwise every shuffle behind a test of it is preceded by
/// instructions that bring the warp together, which made the ring half as long again.
__forceinline__ __device__ unsigned warp_in_block() {
  return simt::shuffle(whole_warp, threadIdx.x / 32, 0);
}

#ifdef __CUDACC__
/// A value in shared memory, where CUDA wants a type without a constructor, in units that one
/// access moves: a struct of four floats in one, not in four.
template <class A>
struct box {
  static constexpr std::size_t largest = sizeof(A) & (~sizeof(A) + 1),
                               bytes = largest < 16 ? largest : 16;
  using unit = std::conditional_t<bytes % 4 == 0, simt::packed<unsigned, bytes / 4 + (bytes < 4)>,
                                  simt::packed<unsigned char, bytes>>;
  alignas(A) alignas(unit) unit units[sizeof(A) / sizeof(unit)];

  box() = default;
  __device__ box(A const& a) : box(std::bit_cast<box>(a)) {}
  __device__ operator A() const { return std::bit_cast<A>(*this); }
};
template <class A>
using boxed = std::conditional_t<std::is_trivially_default_constructible_v<A> &&
                                     (alignof(A) >= 16 || alignof(A) == sizeof(A)),
                                 A, box<A>>;
#else
template <class A>
using boxed = A;
#endif

/// Shared memory for `count` values.
template <class A, unsigned count>
using shared_values = simt::shared<boxed<A>, static_cast<int>(count)>;

/// Sums of integers whose results are kept in at most 32 bits need no more than 32 bits on the way.
struct plus_32 {
  static constexpr bool commutative = true, exact = true;
  template <class>
  using accumulator = unsigned;
  template <class T>
  [[nodiscard]] constexpr unsigned lift(T x) const {
    return static_cast<unsigned>(x);
  }
  [[nodiscard]] constexpr unsigned operator()(unsigned earlier, unsigned later) const {
    return earlier + later;
  }
};
template <class Op>
inline constexpr bool is_sum = std::is_same_v<Op, plus> || std::is_same_v<Op, plus_32>;

/// Whether there is a value that leaves every other one as it is, in each bit: for sums of floats
/// -0.0, where the identity +0 would lose the sign of -0.0, otherwise the identity.
template <class Op, class A>
inline constexpr bool has_neutral = (is_sum<Op> || std::is_same_v<Op, multiplies> ||
                                     std::is_same_v<Op, min> || std::is_same_v<Op, max>) &&
                                    std::is_arithmetic_v<A>;

template <class Op, class A>
__device__ constexpr A neutral() {
  if constexpr (std::is_class_v<A>)
    return A{};  // the value of stream/chunk.hpp that is nothing
  else if constexpr (!is_sum<Op>)
    return Op{}.template identity<A>();
  else if constexpr (std::is_floating_point_v<A>)
    return -A{};
  else
    return A{};
}

/// a or b. By value: a choice between addresses would keep both in memory.
template <class T>
__device__ T select(bool first, T a, T b) {
  return first ? a : b;
}

/// A prefix under construction, which may still be nothing at all. Where the operator has a neutral
/// value, nothing is that value and costs no test.
template <class A, class Op>
class prefix_of {
  static constexpr bool neutral_is_nothing = has_neutral<Op, A>;

 public:
  prefix_of() = default;
  /// `value`, or nothing unless `there`; then `value` is one that lies at hand. It enters no
  /// result, but the operator may meet it.
  __device__ prefix_of(A const& value, bool there) : value_(value), there_(there) {
    if constexpr (neutral_is_nothing)
      if (!there) value_ = neutral<Op, A>();
  }

  /// Puts the total of the next block behind it.
  __device__ void append(A const& total, Op const& op) {
    if constexpr (neutral_is_nothing)
      value_ = op(value_, total);
    else if (there_)
      value_ = op(value_, total);
    else
      value_ = total;
    there_ = true;
  }
  /// The same if `has`, which is not the same for all lanes: by choices, because branches cost 5 %
  /// of a scan of affine maps.
  __device__ void append_if(bool has, A const& total, Op const& op) {
    if constexpr (neutral_is_nothing) {
      if (has) value_ = op(value_, total);
    } else {
      A const both = op(value_, total);
      value_ = select(has, select(there_, both, total), value_);
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
  /// The prefix of lane `source`, in every lane. In lanes that hold the prefixes of consecutive
  /// positions only lane 0 may hold nothing, and everybody knows whether it does: `there`.
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

/// The siblings of one lane: at [k] the total of the aligned block of 2^k lanes on the left of its
/// own, where there is one. Lanes without one hold some combination of values, which enters no
/// result.
template <class A, unsigned levels = 5>
struct siblings {
  A total[levels > 0 ? levels : 1];

  /// Appends the exclusive prefix of `lane` among the siblings to `p`, largest block first.
  template <class Op>
  __device__ void append_to(prefix_of<A, Op>& p, unsigned lane, Op const& op) const {
#pragma unroll
    for (unsigned k = levels; k-- > 0;) p.append_if((lane >> k & 1) != 0, total[k], op);
  }
};

/// Level k of a butterfly: the total of the lane's aligned block of 2^k lanes, `mine`, becomes that
/// of 2^(k+1), and its sibling's is returned. If the operator does not commute, only the last lane
/// of a block has its total, and everybody combines with the left half's: then no lane has to
/// choose which operand comes first, which would take four of every nine instructions for affine
/// maps.
template <class A, class Op>
__device__ A butterfly_step(unsigned k, A& mine, Op const& op) {
  A const sibling = is_commutative<Op> ? simt::shuffle_xor(whole_warp, mine, 1 << k)
                                       : simt::shuffle(whole_warp, mine, (1 << k) - 1, 2 << k);
  mine = op(sibling, mine);
  return sibling;
}
/// The total of 2^levels lanes in every one of them, after so many steps.
template <unsigned levels, class A, class Op>
__device__ A butterfly_total(A const& mine) {
  return is_commutative<Op> ? mine
                            : simt::shuffle(whole_warp, mine, (1 << levels) - 1, 1 << levels);
}

/// Returns the total of the aligned 2^levels lanes around the calling one, and leaves its siblings
/// in `beside`. levels shuffles and applications.
template <unsigned levels, class A, class Op>
__device__ A butterfly(A mine, siblings<A, levels>& beside, Op const& op) {
#pragma unroll
  for (unsigned k = 0; k < levels; ++k) beside.total[k] = butterfly_step(k, mine, op);
  return butterfly_total<levels, A, Op>(mine);
}

/// Which row's total each_row_total() leaves in a lane whose number ends in these digits, and which
/// digits say row `row`: the same ones the other way round.
template <unsigned rows>
__device__ constexpr unsigned mirrored(unsigned row) {
  unsigned result = 0;
  for (unsigned bit = 1; bit < rows; bit *= 2) result = result * 2 + (row & bit ? 1 : 0);
  return result;
}

/// v[r] holds one value of row r in each lane. Returns the total of row mirrored<rows>(lane %
/// rows). A step halves the rows that a lane goes on with and doubles the lanes that each value
/// covers: 9 shuffles for 8 rows, where a butterfly for each takes 40.
template <unsigned rows, class A, class Op>
__device__ A each_row_total(A (&v)[rows], unsigned lane, Op const& op) {
  constexpr unsigned row_levels = static_cast<unsigned>(std::bit_width(rows)) - 1;
  if constexpr (row_levels > 0) {
#pragma unroll
    for (unsigned k = 0; k < row_levels; ++k) {
      bool const upper = (lane >> k & 1) != 0;
      unsigned const half = rows >> (k + 1);
#pragma unroll
      for (unsigned i = 0; i < rows / 2; ++i) {
        if (i >= half) continue;
        A const mine = upper ? v[i + half] : v[i], theirs = upper ? v[i] : v[i + half];
        v[i] = combine_swapped(mine, simt::shuffle_xor(whole_warp, theirs, 1 << k), upper, op);
      }
    }
  }
#pragma unroll
  for (unsigned k = row_levels; k < 5; ++k)
    v[0] = combine_swapped(v[0], simt::shuffle_xor(whole_warp, v[0], 1 << k), (lane >> k & 1) != 0,
                           op);
  return v[0];
}

/// The tree over `count` values of one thread, a power of two of them.
template <class A, unsigned count>
struct thread_tree {
  A node[2 * count];  // heap: node[1] the total, the children of i at 2i and 2i + 1, the values
                      // from node[count] on

  template <class Op>
  __device__ void up(Op const& op) {
#pragma unroll
    for (unsigned i = count - 1; i >= 1; --i) node[i] = op(node[2 * i], node[2 * i + 1]);
  }
  __device__ A& value(unsigned i) { return node[count + i]; }
  __device__ A const& total() const { return node[1]; }

  /// prefix[i], 0 < i < count, becomes the exclusive prefix of value i, given prefix[0].
  template <class Op>
  __device__ void down(prefix_of<A, Op>* prefix, Op const& op) const {
#pragma unroll
    for (unsigned size = count / 2; size >= 1; size /= 2)
#pragma unroll
      for (unsigned i = 0; i < count; i += 2 * size) {
        prefix[i + size] = prefix[i];
        prefix[i + size].append(node[(count + i) / size], op);
      }
  }
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
