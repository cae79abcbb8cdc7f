/// Tree look-back: what stands left of a tile, from the totals of the tiles before it, as the binary digits of its number say.
///
/// Nothing ever waits for a neighbour's prefix, only for totals, and each is published as soon as its tile has been read; so there
/// is no chain through the tiles. A block keeps what it has read of earlier tiles and reads on from there. Progress: a tile waits
/// for tiles with lower tickets only, their blocks run, and they publish before they wait.
#pragma once

#include <upsweep/cuda/device/stamped.hpp>
#include <upsweep/cuda/device/tree.hpp>

#include <cstddef>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

/// The prefixes that a tile needs: in front of it, and behind it.
template <class A, class Op>
struct tile_prefixes {
  prefix_of<A, Op> before, after;
};

/// The look-back of one warp, for tiles of rising number. Lane i of level l holds the total of the i-th group of 32^(l+1) tiles in
/// the current group of 32^(l+2), and what stands left of the latter. The lowest level, which every tile needs, is in registers;
/// the others lie in shared memory, because registers would be taken from every warp of the block. Each lane touches its own places
/// only.
template <class A, class Op>
class lookback {
  static constexpr unsigned levels = 5;  // up to 32^6 = 2^30 tiles
  static constexpr unsigned batch = words_of<A> <= 2   ? 5
                                    : words_of<A> <= 4 ? 2
                                                       : 1;  // whole groups of 32 tiles that one poll reads

 public:
  using memory = simt::shared_pointer<boxed<A>>;
  static constexpr unsigned memory_size = 2 * 32 * (levels - 1);

  /// `before` stands left of tile 0; nothing does unless `there`. `room` is for memory_size values of this warp's own.
  __device__ lookback(tile_totals<A> totals, unsigned lane, A const& before, bool there, memory room)
      : totals_(totals), lane_(lane), there_(there), total_(before), before_(before), room_(room + lane) {}

  /// Called by one lane.
  __device__ void publish(std::size_t tile, A const& total) const { totals_.publish(tile, total); }

  /// The prefixes around `tile`, whose total is `own`: log2 of its number in dependent applications once all totals are there.
  __device__ tile_prefixes<A, Op> around(std::size_t tile, A const& own, Op const& op) {
    if (!begun_) begin(own);
    A in_group;  // of the tile's own group: the totals of the tiles before it, and `own` from there on
    for (;;) {
      A group[batch];
      in_group = own;
      poll(tile, in_group, own, group);
      std::size_t const whole = tile / 32 - groups_;
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        siblings<A> beside;
        group[j] = butterfly<5>(group[j], beside, lane_, op);
      }
      append_groups(group, whole < batch ? static_cast<unsigned>(whole) : batch, op);
      if (whole <= batch) return inside(tile, in_group, op);
    }
  }

 private:
  /// Lanes that hold no total yet hold `any`: it enters no result, but the operator may meet it.
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
  __device__ void put_total(unsigned l, A const& value) const {
    room_[32 * (l - 1)] = value;
  }
  __device__ prefix_of<A, Op> before(unsigned l) const {
    bool const there = there_ || groups_ >> (5 * (l + 1)) != 0;
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

  /// Waits for the totals of the tile's own group up to it, and of up to `batch` whole groups from the first that is not accounted
  /// for; `own` stands in for all others.
  __device__ void poll(std::size_t tile, A& in_group, A const& own, A* group) const {
    std::size_t const first = groups_ * 32 + lane_, last = tile / 32 * 32 + lane_;
    bool missing_in_group = last < tile, missing[batch];
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      group[j] = own;
      missing[j] = groups_ + j < tile / 32;
    }
    bool wait = true;
    while (wait) {
      bool const there_in_group = totals_.read(last, missing_in_group, in_group);
      missing_in_group = missing_in_group && !there_in_group;
      wait = missing_in_group;
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        bool const there = totals_.read(first + 32 * std::size_t{j}, missing[j], group[j]);
        missing[j] = missing[j] && !there;
        wait = wait || missing[j];
      }
      wait = __any_sync(whole_warp, wait) != 0;
      if (wait) look_again();
    }
  }

  /// The prefixes around a tile of the group that follows those accounted for.
  __forceinline__ __device__ tile_prefixes<A, Op> inside(std::size_t tile, A const& in_group, Op const& op) {
    unsigned const place = static_cast<unsigned>(tile % 32);
    siblings<A> beside;
    A const group[1] = {butterfly<5>(in_group, beside, lane_, op)};
    prefix_of<A, Op> here = at(0, digit(groups_, 0), op);
    beside.append_to(here, lane_, op);
    tile_prefixes<A, Op> result{here.from_lane(place), here.from_lane((place + 1) % 32)};
    if (place == 31) {  // the group ends with this tile
      append_groups(group, 1, op);
      result.after = at(0, digit(groups_, 0), op);
    }
    return result;
  }

  /// The prefix in front of group `place` of level l, in every lane.
  __forceinline__ __device__ prefix_of<A, Op> at(unsigned l, unsigned place, Op const& op) const {
    siblings<A> beside;
    (void)butterfly<5>(total(l), beside, lane_, op);
    prefix_of<A, Op> p = before(l);
    beside.append_to(p, lane_, op);
    return p.from_lane(place);
  }

  /// By value: a choice between places would keep the groups in memory.
  __device__ void put_if(bool chosen, A group) {
    total_ = chosen ? group : total_;
  }
  /// `count` more groups of 32 tiles are accounted for, at most `most`. Every 32nd completes a group of the next level.
  template <unsigned most>
  __forceinline__ __device__ void append_groups(A const (&group)[most], unsigned count, Op const& op) {
    unsigned const place = digit(groups_, 0), fit = count < 32 - place ? count : 32 - place;
#pragma unroll
    for (unsigned j = 0; j < most; ++j) put_if(j < fit && lane_ == place + j, group[j]);
    groups_ += fit;
    if (place + fit < 32) return;
    complete_levels(op);
#pragma unroll
    for (unsigned j = 0; j < most; ++j) put_if(j < count && lane_ + fit == j, group[j]);
    groups_ += count - fit;
  }

  /// The lowest level is full, and perhaps others: each total goes one level up, and the levels below begin anew. Once in 1024
  /// tiles.
  __forceinline__ __device__ void complete_levels(Op const& op) {
    siblings<A> beside;
    A group = butterfly<5>(total_, beside, lane_, op);
    unsigned l = 1;
    for (; l < levels; ++l) {
      unsigned const place = digit(groups_ - 1, l);
      if (lane_ == place) put_total(l, group);
      if (place != 31) break;
      group = butterfly<5>(total(l), beside, lane_, op);
    }
#pragma unroll 1
    for (l = l < levels ? l : levels - 1; l >= 1; --l) put_before(l - 1, at(l, digit(groups_, l), op).value());
  }
  __device__ static unsigned digit(std::size_t groups, unsigned l) {
    return static_cast<unsigned>(groups >> (5 * l)) % 32;
  }

  tile_totals<A> totals_;
  unsigned lane_;
  bool there_, begun_ = false;
  std::size_t groups_ = 0;  // groups of 32 tiles that are accounted for
  A total_, before_;        // of the lowest level
  memory room_;             // of this lane, every 32nd value: the totals of the levels above, then what stands left of them
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
