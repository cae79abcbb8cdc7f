/// Tree look-back: the exclusive prefix of a tile from the totals of the tiles before it, combined
/// along the binary digits of its number.
///
/// No tile waits for a neighbor's prefix, only for totals, and each total is published as soon as
/// its tile has been read; so there is no chain of dependences through the tiles. A block keeps
/// what it has read of earlier tiles and continues from there. Progress: a tile waits only for
/// tiles with lower tickets; their blocks are running and publish before they wait.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// The prefixes that a tile needs: before it (exclusive) and after it (inclusive).
template <class A, class Op>
struct tile_prefixes {
  prefix_of<A, Op> before, after;
};

/// The look-back of one warp, for tiles in increasing order. Lane i of level l holds the total of
/// the i-th group of 32^(l+1) tiles in the current group of 32^(l+2), and the exclusive prefix of
/// the latter. The lowest level, which every tile needs, is in registers. The others are in shared
/// memory, because registers would be taken from every warp of the block. Each lane accesses only
/// its own slots. Operators are those for totals of tiles.
template <class A, class Op>
class lookback {
  static constexpr unsigned levels = 5;
  static constexpr unsigned batch = totals_at_once<A>;  // groups of 32 tiles that one poll reads

 public:
  using memory = boxed<A>*;
  static constexpr unsigned memory_size = 2 * 32 * (levels - 1);
  static constexpr unsigned tile_digits = 5 * (levels + 1), most_tiles = 1U << tile_digits;

  /// `before` is the exclusive prefix of tile 0 if `there`; otherwise tile 0 has none. `room` has
  /// space for memory_size values, private to this warp.
  __device__ lookback(tile_totals<A> totals, unsigned lane, A const& before, bool there,
                      memory room)
      : totals_(totals),
        lane_(lane),
        there_(there),
        total_(before),
        before_(before),
        room_(room + lane) {}

  /// Called by one lane.
  __device__ void publish(unsigned tile, A const& total) const { totals_.publish(tile, total); }

  /// The prefixes before and after `tile`, whose total is `own`. Takes log2(tile) dependent
  /// applications once all totals are published. A tile that is `far` ahead, such as the end of a
  /// reduction, waits for its own group only after it has read all others.
  template <bool far = false>
  __device__ tile_prefixes<A, Op> around(unsigned tile, A const& own, Op const& op) {
    if (!begun_) begin(own);
    A const in_group = reach<far>(tile, own, op);
    return inside(tile, in_group, op);
  }

  /// The first half of around(): appends all groups before the one of `tile`. Returns the totals of
  /// its own group.
  template <bool far = false>
  __device__ A reach(unsigned tile, A const& own, Op const& op) {
    for (;;) {
      A group[batch], in_group;
      poll<far>(tile, own, group, in_group);
      unsigned const whole = tile / 32 - groups_;
      append_groups(each_row_total(group, lane_, op), whole < batch ? whole : batch, op);
      if (whole <= batch) return in_group;
    }
  }

  /// The second half of around(): the prefixes before and after a tile of the next group.
  __forceinline__ __device__ tile_prefixes<A, Op> inside(unsigned tile, A const& in_group,
                                                         Op const& op) {
    unsigned const slot = tile % 32;
    siblings<A> beside;
    A const group = butterfly<5>(in_group, beside, op);
    prefix_of<A, Op> here = at(0, digit(groups_, 0), op);
    bool const there = here.there();
    beside.append_to(here, lane_, op);
    tile_prefixes<A, Op> result{here.from_lane(slot, there),
                                here.from_lane((slot + 1) % 32, there)};
    if (slot == 31) {  // the last tile of its group
      append_groups(group, 1, op);
      result.after = at(0, digit(groups_, 0), op);
    }
    return result;
  }

 private:
  template <class, class, class>
  friend class chunk_lookback;  // continues from the carry of a stream (stream/chunk.hpp)

  /// Slots without a total are filled with `any`: the operator may be applied to it, but no result
  /// depends on it.
  __device__ void begin(A const& any) {
    begun_ = true;
    total_ = any;
    if (!there_) before_ = any;
#pragma unroll 1
    for (unsigned l = 1; l < levels; ++l) {
      put_total(l, any);
      put_before(l, before_);
    }
  }
  __device__ A total(unsigned l) const {
    if (l == 0) return total_;
    A const value = room_[32 * (l - 1)];
    return value;
  }
  __device__ void put_total(unsigned l, A const& value) const { room_[32 * (l - 1)] = value; }
  __device__ prefix_of<A, Op> before(unsigned l) const {
    bool const there = there_ || (groups_ >> (5 * (l + 1))) != 0;
    if (l == 0) return prefix_of<A, Op>(before_, there);
    A const value = room_[32 * (levels - 1 + l - 1)];
    return prefix_of<A, Op>(value, there);
  }
  __device__ void put_before(unsigned l, A const& value) {
    if (l == 0)
      before_ = value;
    else
      room_[32 * (levels - 1 + l - 1)] = value;
  }

  /// Waits for the totals of the next whole groups, at most `batch`, and of the tile's own group up
  /// to the tile. All other values are `own`.
  template <bool far>
  __device__ void poll(unsigned tile, A const& own, A (&group)[batch], A& in_group) const {
    unsigned const whole = tile / 32 - groups_, group_bits = (1U << batch) - 1;
    // Bit j: the total of the j-th group; bit `batch`: of the tile's own group.
    unsigned missing = whole < batch ? (1U << whole) - 1 : group_bits;
    if ((!far || whole <= batch) && lane_ < tile % 32) missing |= group_bits + 1;
    typename tile_totals<A>::tagged_total found[batch + 1];
#pragma unroll
    for (unsigned j = 0; j <= batch; ++j) found[j] = totals_.tagged(own);
    for (;;) {
#pragma unroll
      for (unsigned j = 0; j < batch; ++j)
        totals_.look((groups_ + j) * 32 + lane_, missing & 1U << j, found[j]);
      totals_.look(tile / 32 * 32 + lane_, missing & 1U << batch, found[batch]);
      missing = 0;
#pragma unroll
      for (unsigned j = 0; j <= batch; ++j)
        if (totals_.missing(found[j]) != 0) missing |= 1U << j;
      if (!__any_sync(whole_warp, missing != 0)) break;
      look_again();
    }
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) group[j] = found[j].value();
    in_group = found[batch].value();
  }

  /// The exclusive prefix of group `slot` of level l, in every lane.
  __forceinline__ __device__ prefix_of<A, Op> at(unsigned l, unsigned slot, Op const& op) const {
    siblings<A> beside;
    Op const of_groups = raised(op, 5 * (l + 1));
    (void)butterfly<5>(total(l), beside, of_groups);
    prefix_of<A, Op> p = before(l);
    bool const there = p.there();
    beside.append_to(p, lane_, of_groups);
    return p.from_lane(slot, there);
  }

  /// Appends `count` groups of 32 tiles, at most `batch`; their totals are in the lanes where
  /// each_row_total() leaves them. Every 32nd group completes one of the next level.
  __forceinline__ __device__ void append_groups(A const& totals, unsigned count, Op const& op) {
    unsigned const slot = digit(groups_, 0), fit = count < 32 - slot ? count : 32 - slot;
    unsigned const mine = (lane_ - slot) % 32;  // the group for this lane, if there are that many
    A const total =
        simt::shuffle(whole_warp, totals, static_cast<int>(mirrored<batch>(mine % batch)));
    total_ = mine < fit ? total : total_;
    groups_ += fit;
    if (slot + fit < 32) return;
    complete_levels(op);
    total_ = mine >= fit && mine < count ? total : total_;
    groups_ += count - fit;
  }

  /// Called when the lowest level is full, once in 1024 tiles: moves the total of each full level
  /// one level up and restarts the levels below.
  __forceinline__ __device__ void complete_levels(Op const& op) {
    siblings<A> beside;
    A group = butterfly<5>(total_, beside, raised(op, 5));
    unsigned l = 1;
    for (; l < levels; ++l) {
      unsigned const slot = digit(groups_ - 1, l);
      if (lane_ == slot) put_total(l, group);
      if (slot != 31) break;
      group = butterfly<5>(total(l), beside, raised(op, 5 * (l + 1)));
    }
#pragma unroll 1
    for (l = l < levels ? l : levels - 1; l >= 1; --l)
      put_before(l - 1, at(l, digit(groups_, l), op).value());
  }
  __device__ static unsigned digit(unsigned groups, unsigned l) { return (groups >> (5 * l)) % 32; }

  tile_totals<A> totals_;
  unsigned lane_;
  bool there_, begun_ = false;
  unsigned groups_ = 0;  // groups of 32 tiles appended so far
  A total_, before_;     // of the lowest level
  memory room_;          // every 32nd value is this lane's: higher levels' totals, then prefixes
};

}  // namespace upsweep::device
