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
/// the current group of 32^(l+2), and what stands left of the latter. They lie in shared memory, because registers would be taken
/// from every warp of the block; each lane touches its own places only.
template <class A, class Op>
class lookback {
  static constexpr unsigned levels = 5;                                               // up to 32^6 = 2^30 tiles
  static constexpr unsigned batch = words_of<A> <= 2 ? 6 : words_of<A> <= 4 ? 3 : 1;  // groups of 32 tiles that one poll reads

 public:
  using memory = simt::shared_pointer<boxed<A>>;
  static constexpr unsigned memory_size = 2 * 32 * levels;

  /// `before` stands left of tile 0; nothing does unless `there`. `room` is for memory_size values of this warp's own.
  __device__ lookback(tile_totals<A> totals, unsigned lane, A const& before, bool there, memory room)
      : totals_(totals), lane_(lane), first_(before), there_(there), room_(room + lane) {}

  /// Called by one lane.
  __device__ void publish(std::size_t tile, A const& total) const { totals_.publish(tile, total); }

  /// The prefixes around `tile`, whose total is `own`: log2 of its number in dependent applications once all totals are there.
  __device__ tile_prefixes<A, Op> around(std::size_t tile, A const& own, Op const& op) {
    if (!begun_) begin(own);
    for (;;) {
      A total[batch];
      poll(tile, own, total);
      siblings<A> beside[batch];
      A group[batch];
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) group[j] = butterfly<5>(total[j], beside[j], lane_, op);
      std::size_t const own_group = tile / 32 - groups_;
      siblings<A> beside_own = beside[0];
      A total_own = group[0];
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        if (j < own_group) append_group(group[j], op);
        if (j == own_group) beside_own = beside[j];
        if (j == own_group) total_own = group[j];
      }
      if (own_group < batch) return inside(tile, total_own, beside_own, op);
    }
  }

 private:
  /// Lanes that hold no total yet hold `any`: it enters no result, but the operator may meet it.
  __device__ void begin(A const& any) {
    begun_ = true;
#pragma unroll
    for (unsigned l = 0; l < levels; ++l) {
      put_total(l, any);
      put_before(l, first_);
    }
  }
  __device__ A total(unsigned l) const {
    A const value = room_[32 * l];
    return value;
  }
  __device__ void put_total(unsigned l, A const& value) const {
    room_[32 * l] = value;
  }
  __device__ prefix_of<A, Op> before(unsigned l) const {
    A const value = room_[32 * (levels + l)];
    return prefix_of<A, Op>(value, there_ || groups_ >> (5 * (l + 1)) != 0);
  }
  __device__ void put_before(unsigned l, A const& value) const {
    room_[32 * (levels + l)] = value;
  }

  /// Waits for the totals of up to `batch` groups from the first that is not accounted for; `own` stands in for tile `tile` and for
  /// those after it.
  __device__ void poll(std::size_t tile, A const& own, A* total) const {
    std::size_t const first = groups_ * 32 + lane_;
    bool missing[batch];
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      total[j] = own;
      missing[j] = first + 32 * std::size_t{j} < tile;
    }
    bool wait = true;
    while (wait) {
      wait = false;
#pragma unroll
      for (unsigned j = 0; j < batch; ++j) {
        bool const there = totals_.read(first + 32 * std::size_t{j}, missing[j], total[j]);
        missing[j] = missing[j] && !there;
        wait = wait || missing[j];
      }
      wait = __any_sync(whole_warp, wait) != 0;
      if (wait) look_again();
    }
  }

  /// The prefixes around a tile of the group that follows those accounted for.
  __device__ tile_prefixes<A, Op> inside(std::size_t tile, A const& group, siblings<A> const& beside, Op const& op) {
    unsigned const place = static_cast<unsigned>(tile % 32);
    prefix_of<A, Op> here = at(0, digit(groups_, 0), op);
    beside.append_to(here, lane_, op);
    tile_prefixes<A, Op> result{here.from_lane(place), here.from_lane((place + 1) % 32)};
    if (place == 31) {  // the group ends with this tile
      append_group(group, op);
      result.after = at(0, digit(groups_, 0), op);
    }
    return result;
  }

  /// The prefix in front of group `place` of level l, in every lane.
  __device__ prefix_of<A, Op> at(unsigned l, unsigned place, Op const& op) const {
    siblings<A> beside;
    (void)butterfly<5>(total(l), beside, lane_, op);
    prefix_of<A, Op> p = before(l);
    beside.append_to(p, lane_, op);
    return p.from_lane(place);
  }

  /// One more group of 32 tiles is accounted for. Every 32nd completes a group of the next level.
  __device__ void append_group(A group, Op const& op) {
    std::size_t const number = groups_++;
    unsigned filled = 0;  // the levels below are full and begin anew
#pragma unroll
    for (unsigned l = 0; l < levels; ++l) {
      if (l != filled) continue;
      unsigned const place = digit(number, l);
      if (lane_ == place) put_total(l, group);
      if (place != 31) continue;
      siblings<A> beside;
      group = butterfly<5>(total(l), beside, lane_, op);
      filled = l + 1;
    }
#pragma unroll
    for (unsigned l = levels - 1; l >= 1; --l)
      if (l <= filled) put_before(l - 1, at(l, digit(groups_, l), op).value());
  }
  __device__ static unsigned digit(std::size_t groups, unsigned l) {
    return static_cast<unsigned>(groups >> (5 * l)) % 32;
  }

  tile_totals<A> totals_;
  unsigned lane_;
  A first_;
  bool there_, begun_ = false;
  std::size_t groups_ = 0;  // groups of 32 tiles that are accounted for
  memory room_;             // of this lane, every 32nd value: the totals of all levels, then what stands left of them
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
