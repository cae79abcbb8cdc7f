/// A chunk of a stream among the tiles of the whole stream: its exclusive prefix, and the new carry
/// after it.
///
/// The tiles are those of the whole stream. So the look-back can use the carry's totals of whole
/// tiles, and of blocks of tiles, as if they had just been published: each in the first slot of its
/// block, with empty values in the other slots. An empty value changes no other, so every element
/// gets the tree's bits. The siblings along the path to the position after the chunk are the new
/// carry.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/stream/device_carry.hpp>

#include <bit>
#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// A value, or empty. Combining with an empty value changes nothing, so empty values fill the slots
/// of a tile that have no elements.
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

/// The sink of a call without results.
struct no_results {
  static constexpr bool stores = false;
};

/// The operator and the value type for a chunk: values that may be empty, unless the operator has a
/// neutral value.
template <class Op, class A>
using chunk_operation = std::conditional_t<has_neutral<Op, A>, Op, join_perhaps<Op>>;
template <class Op, class A>
using chunk_value = std::conditional_t<has_neutral<Op, A>, A, perhaps<A>>;
template <class Value, class A>
UPSWEEP_BOTH constexpr Value something(A const& a) {
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

/// The carry of a stream at `position`, in device memory: totals[k] is the total of the block of
/// digit k.
template <class A>
struct chunk_start {
  std::size_t position;
  A const* totals;

  /// The total of the block that starts at unit i, among the blocks that `units` units of 2^first
  /// elements split into; empty if no block starts there.
  template <class Op>
  __device__ chunk_value<Op, A> carried(unsigned first, std::size_t i, std::size_t units) const {
    using value = chunk_value<Op, A>;
    value x = neutral<chunk_operation<Op, A>, value>();
    if (i >= units) return x;
    // The highest bit that differs; it is set in `units`.
    auto const k = static_cast<unsigned>(63 - __clzll(static_cast<long long>(i ^ units)));
    if (i != units >> (k + 1) << (k + 1)) return x;
    A const total = totals[first + k];
    return something<value>(total);
  }
  /// The totals of digits `first` and larger, combined from left to right.
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
  /// Combines `total`, of 2^k elements, with the digits that it overflows, as a binary counter
  /// does. Returns the digit of the block whose total it then is.
  template <class Value, class Op>
  __device__ unsigned join(unsigned k, Value& total, Op const& op) const {
    for (; (position >> k & 1) != 0; ++k) {
      A const earlier = totals[k];
      total = op(something<Value>(earlier), total);
    }
    return k;
  }
  /// The exclusive prefix of the element after 2^k elements whose total is given.
  template <class Value, class Op>
  __device__ Value prefix_after(unsigned k, Value total, Op const& op) const {
    k = join(k, total, op);
    return op(prefix<Value>(k, op), total);
  }
};

/// Stores the new carry. It does not overwrite the old one, which other blocks may still read.
template <class A, class Op>
struct new_carry {
  using value = chunk_value<Op, A>;
  A* totals;

  __device__ void operator()(unsigned k, value const& total) const { totals[k] = value_of(total); }

  /// Called by a warp when the digits below `digits` are stored: stores the other digits and the
  /// prefix after n elements. `all` is the total of 2^digits elements if a block of them ends here.
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
    __syncwarp();     // all digits are stored
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

/// The look-back of a warp for the tiles of a chunk, counted from the tile in which it begins.
template <class Shape, class A, class Op>
class chunk_lookback {
 public:
  using value = chunk_value<Op, A>;
  using operation = chunk_operation<Op, A>;
  using tiles = lookback<value, operation>;
  static constexpr unsigned tile_digits = std::bit_width(Shape::size) - 1,
                            digits = tile_digits + tiles::tile_digits;

  /// The number of the stream's tile that contains `position`, modulo most_tiles.
  [[nodiscard]] __device__ static unsigned number(std::size_t position) {
    return static_cast<unsigned>(position >> tile_digits) % tiles::most_tiles;
  }
  /// The slots for the totals of a chunk's tiles, which start with the first tile's group of 32.
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

  /// Called once, before the other functions: loads the carry's totals of blocks of tiles into the
  /// levels of the look-back.
  __device__ void begin() {
    constexpr unsigned levels = tiles::levels;
    earlier_.begun_ = true;
    earlier_.groups_ = first_ / 32;
    value found[levels];  // so that all loads are in flight together
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
  /// Called with the chunk's first tile: publishes the carry's totals of the tiles before it in its
  /// group of 32.
  __device__ void publish_carry() const {
    if (lane_ < first_ % 32)
      earlier_.publish(first_ / 32 * 32 + lane_, carried(0, lane_, first_ % 32));
  }
  /// Waits for the totals of all tiles before `tile`, and returns those of its group.
  template <bool far = false>
  __device__ value reach(unsigned tile, value const& own) {
    return earlier_.template reach<far>(first_ + tile, own, op_);
  }
  /// The prefixes before and after `tile`, including the last tile that the look-back can number.
  __device__ tile_prefixes<value, operation> around(unsigned tile, value const& in_group) {
    auto both = earlier_.inside(first_ + tile, in_group, op_);
    if (first_ + tile + 1 == tiles::most_tiles)
      both.after =
          prefix_of<value, operation>(start_.prefix_after(digits, total_of_all(), op_), true);
    return both;
  }
  /// Called between reach() and around() of the tile in which the next chunk begins, `end` elements
  /// after the start of the first tile. Stores the new carry's digits for blocks of tiles, and for
  /// the 2^levels parts of a tile, from the siblings of those parts.
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
  /// Stores the rest of the carry after the n elements of the chunk.
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
  /// The total of most_tiles tiles, when that many have been appended.
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
