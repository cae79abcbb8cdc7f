/// A chunk of a stream among the tiles of the whole stream: its exclusive prefix, and the new carry
/// behind it.
///
/// The tiles are those of the whole stream, so the carry's totals of whole tiles, and of blocks of
/// tiles, are the look-back's as if somebody had just published them: each at the first slot of
/// its block, and nothing at the other slots. Nothing joins anything as itself, so every element
/// gets the tree's bits. The siblings on the way to the position behind the chunk are the new
/// carry.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/stream/device_carry.hpp>

#include <bit>
#include <cstddef>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

/// A value or nothing. Nothing joins anything as itself, so in a stream it fills the slots of a
/// tile that hold no elements.
template <class A>
struct perhaps {
  A value{};
  bool there = false;
};
template <class Op>
struct join_perhaps {
  static constexpr bool commutative = is_commutative<Op>;
  Op op;
  template <class A>
  __device__ perhaps<A> operator()(perhaps<A> const& earlier, perhaps<A> const& later) const {
    if (!earlier.there) return later;
    if (!later.there) return earlier;
    return {op(earlier.value, later.value), true};
  }
};
template <class Op, class A>
inline constexpr bool has_neutral<join_perhaps<Op>, perhaps<A>> = true;
template <class A>
inline constexpr bool is_perhaps = false;
template <class A>
inline constexpr bool is_perhaps<perhaps<A>> = true;

/// The sink of a call that wants no results.
struct no_results {
  static constexpr bool stores = false;
};

/// What a chunk is combined in: values that may be nothing, unless the operator has a value that
/// changes no other.
template <class Op, class A>
using chunk_operation = std::conditional_t<has_neutral<Op, A>, Op, join_perhaps<Op>>;
template <class Op, class A>
using chunk_value = std::conditional_t<has_neutral<Op, A>, A, perhaps<A>>;
template <class Value, class A>
constexpr Value something(A const& a) {
  if constexpr (is_perhaps<Value>)
    return {a, true};
  else
    return a;
}
template <class Value>
__device__ auto const& value_of(Value const& x) {
  if constexpr (is_perhaps<Value>)
    return x.value;
  else
    return x;
}

/// What is known of a stream in front of `position`: at [k] the total of the block of digit k, in
/// device memory.
template <class A>
struct chunk_start {
  std::size_t position;
  global<A const> totals;

  /// Of the blocks that `units` units of 2^first elements split into, the total of the one that
  /// starts at unit i, or nothing.
  template <class Op>
  __device__ chunk_value<Op, A> carried(unsigned first, std::size_t i, std::size_t units) const {
    using value = chunk_value<Op, A>;
    value x = neutral<chunk_operation<Op, A>, value>();
    if (i >= units) return x;
    auto const k = static_cast<unsigned>(
        63 - __clzll(static_cast<long long>(i ^ units)));  // where they part, `units` has a 1
    if (i != units >> (k + 1) << (k + 1)) return x;
    A const total = totals[first + k];
    return something<value>(total);
  }
  /// The fold of the totals of digits `first` and larger.
  template <class Value, class Op>
  __device__ Value prefix(unsigned first, Op const& op) const {
    Value p = neutral<Op, Value>();
    for (unsigned k = 64; k-- > first;) {
      if ((position >> k & 1) == 0) continue;
      A const total = totals[k];
      p = op(p, something<Value>(total));
    }
    return p;
  }
  /// `total`, of 2^k elements that end a block of more, becomes that block's. Returns the digit of
  /// the latter.
  template <class Value, class Op>
  __device__ unsigned join(unsigned k, Value& total, Op const& op) const {
    for (; (position >> k & 1) != 0; ++k) {
      A const earlier = totals[k];
      total = op(something<Value>(earlier), total);
    }
    return k;
  }
  /// The exclusive prefix of the element behind 2^k elements whose total is given.
  template <class Value, class Op>
  __device__ Value prefix_behind(unsigned k, Value total, Op const& op) const {
    k = join(k, total, op);
    return op(prefix<Value>(k, op), total);
  }
};

/// Where the new carry goes. It is not where the old one is: other blocks may still be about to
/// read that.
template <class A, class Op>
struct new_carry {
  using value = chunk_value<Op, A>;
  global<A> totals;

  __device__ void operator()(unsigned k, value const& total) const { totals[k] = value_of(total); }

  /// Called by a warp when the digits below `digits` are there: the others, and the prefix, behind
  /// n elements. `all` is the total of 2^digits elements, if they end here.
  template <class Joined>
  __device__ void complete(chunk_start<A> const& start, std::size_t n, unsigned digits, value all,
                           unsigned lane, Joined const& op) const {
    std::size_t const end = start.position + n;
    if ((start.position ^ end) >> digits != 0) {
      digits = start.join(digits, all, op);
      if (lane == 0) (*this)(digits, all);
    }
    for (unsigned k = lane; k < 64; k += 32) {
      if (k < digits || (start.position >> k & 1) == 0) continue;
      A const unchanged = start.totals[k];
      totals[k] = unchanged;
    }
    __syncwarp();     // all digits are there
    A low{}, high{};  // each lane reads two, at once
    if ((end >> lane & 1) != 0) low = totals[lane];
    if ((end >> lane >> 32 & 1) != 0) high = totals[lane + 32];
    value prefix = neutral<Joined, value>();
    for (unsigned k = 64; k-- > 0;) {
      if ((end >> k & 1) == 0) continue;
      A const total = simt::shuffle(whole_warp, k < 32 ? low : high, static_cast<int>(k % 32));
      prefix = op(prefix, something<value>(total));
    }
    if (lane == 0) (*this)(carry_prefix, prefix);
  }
};

/// The look-back of a warp for the tiles of a chunk, counted from the one in which it begins.
template <class Shape, class A, class Op>
class chunk_lookback {
 public:
  using value = chunk_value<Op, A>;
  using operation = chunk_operation<Op, A>;
  using tiles = lookback<value, operation>;
  static constexpr unsigned tile_digits = std::bit_width(Shape::size) - 1,
                            digits = tile_digits + tiles::tile_digits;

  /// The number of the stream's tile that holds `position`, modulo those that the look-back tells
  /// apart.
  [[nodiscard]] __device__ static unsigned number(std::size_t position) {
    return static_cast<unsigned>(position >> tile_digits) % tiles::most_tiles;
  }
  /// Where the tiles of a chunk leave their totals: the group of 32 of the first one has the first
  /// slots.
  [[nodiscard]] __device__ static tile_totals<value> totals(workspace_words const& workspace,
                                                            unsigned epoch, std::size_t position) {
    auto t = workspace.totals<value>(epoch);
    t.words -= number(position) / 32 * std::size_t{32} * t.size;
    return t;
  }

  __device__ chunk_lookback(chunk_start<A> const& start, workspace_words const& workspace,
                            unsigned epoch, unsigned lane, typename tiles::memory room,
                            operation const& op)
      : start_(start),
        op_(op),
        lane_(lane),
        first_(number(start.position)),
        earlier_(totals(workspace, epoch, start.position), lane,
                 start.template prefix<value>(digits, op), true, room) {}

  /// Once, before the others: lane i of level l gets the i-th of the blocks that the units in front
  /// of the first tile split into.
  __device__ void begin() {
    constexpr unsigned levels = tiles::levels;
    earlier_.begun_ = true;
    earlier_.groups_ = first_ / 32;
    value found[levels];  // one wait for all of them
#pragma unroll
    for (unsigned l = 0; l < levels; ++l)
      found[l] = carried(5 * (l + 1), lane_, tiles::digit(earlier_.groups_, l));
    earlier_.total_ = found[0];
#pragma unroll
    for (unsigned l = 1; l < levels; ++l) earlier_.put_total(l, found[l]);
    earlier_.put_before(levels - 1, earlier_.before_);
#pragma unroll 1
    for (unsigned l = levels - 1; l >= 1; --l)
      earlier_.put_before(l - 1, earlier_.at(l, tiles::digit(earlier_.groups_, l), op_).value());
  }
  __device__ void publish(unsigned tile, value const& own) const {
    if (lane_ == 0) earlier_.publish(first_ + tile, own);
  }
  /// With the chunk's first tile: the carry's totals of the tiles in front of it, of the same group
  /// of 32.
  __device__ void publish_carry() const {
    if (lane_ < first_ % 32)
      earlier_.publish(first_ / 32 * 32 + lane_, carried(0, lane_, first_ % 32));
  }
  /// Waits for the totals of all tiles in front of `tile`, and returns those of its group.
  template <bool far = false>
  __device__ value reach(unsigned tile, value const& own) {
    return earlier_.template reach<far>(first_ + tile, own, op_);
  }
  /// The prefixes around `tile`, also around the last one for which the look-back has a number.
  __device__ tile_prefixes<value, operation> around(unsigned tile, value const& in_group) {
    auto both = earlier_.inside(first_ + tile, in_group, op_);
    if (first_ + tile + 1 == tiles::most_tiles)
      both.after =
          prefix_of<value, operation>(start_.prefix_behind(digits, total_of_all(), op_), true);
    return both;
  }
  /// Between reach() and around() of the tile in which the next chunk begins, `end` elements behind
  /// the first tile's beginning: the carry's digits of tiles, and of the 2^levels parts of one,
  /// from the siblings of those parts.
  template <unsigned levels>
  __device__ void split(unsigned tile, std::size_t end, siblings<value, levels> const& beside,
                        value const& in_group, new_carry<A, Op> const& next) const {
    if constexpr (levels > 0) {
      constexpr unsigned part_digits = tile_digits - levels;
      unsigned const slot = static_cast<unsigned>(end >> part_digits) % (1U << levels);
#pragma unroll
      for (unsigned k = 0; k < levels; ++k)
        if (lane_ == slot && (slot >> k & 1) != 0) next(part_digits + k, beside.total[k]);
    }
    siblings<value> of_tile;
    (void)butterfly<5>(in_group, of_tile, op_);
    put_siblings(of_tile, (first_ + tile) % 32, 0, next);
#pragma unroll 1
    for (unsigned l = 0; l < tiles::levels; ++l) {
      (void)butterfly<5>(earlier_.total(l), of_tile, op_);
      put_siblings(of_tile, tiles::digit(earlier_.groups_, l), 5 * (l + 1), next);
    }
  }
  /// The rest of the carry behind the n elements of the chunk.
  __device__ void complete(std::size_t n, new_carry<A, Op> const& next) const {
    next.complete(start_, n, digits, total_of_all(), lane_, op_);
  }

 private:
  __device__ void put_siblings(siblings<value> const& beside, unsigned slot, unsigned first,
                               new_carry<A, Op> const& next) const {
#pragma unroll
    for (unsigned k = 0; k < 5; ++k)
      if (lane_ == slot && (slot >> k & 1) != 0) next(tile_digits + (first + k), beside.total[k]);
  }
  /// The total of most_tiles, when so many are accounted for.
  __device__ value total_of_all() const {
    siblings<value> beside;
    return butterfly<5>(earlier_.total(tiles::levels - 1), beside, op_);
  }
  __device__ value carried(unsigned k, std::size_t i, unsigned units) const {
    return start_.template carried<Op>(tile_digits + k, i, units);
  }
  chunk_start<A> start_;
  operation op_;
  unsigned lane_, first_;
  tiles earlier_;
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
