/// The exclusive prefix of a tile from the totals of up to 1023 tiles before it, which all warps of
/// its block read with one poll and one barrier.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>

namespace upsweep::device {

/// Appends the exclusive prefix of lane `slot` to `p`, from its siblings in shared memory.
template <class A, class Op>
__device__ void append_siblings(prefix_of<A, Op>& p, shared_values<A, 5>& beside, std::size_t slot,
                                Op const& op) {
#pragma unroll
  for (unsigned k = 5; k-- > 0;) {
    if ((slot >> k & 1) == 0) continue;
    A const total = beside[k];
    p.append(total, raised(op, k));
  }
}

/// One less than 32 groups of 32, so that the inclusive prefix of the last tile is also one of the
/// 1024 prefixes.
inline constexpr std::size_t most_table_tiles = 1023;

/// What the warps of one block compute together from the tiles before it.
template <class A>
struct prefix_table {
  shared_values<A, 32>& groups;      ///< [g]: the total of tiles [32g, 32g + 32)
  shared_values<A, 5>& before_tile;  ///< the siblings of this tile in its group of 32
  shared_values<A, 5>& after_tile;   ///< those of the next one, unless it begins a new group
};

/// Stores the siblings of `tile` and of the next tile in their group, whose totals are given.
template <class A, class Op>
__device__ void enter_tile(A const& in_group, unsigned tile, prefix_table<A> const& table,
                           unsigned lane, Op const& op) {
  siblings<A> beside;
  (void)butterfly<5>(in_group, beside, op);
#pragma unroll
  for (unsigned k = 0; k < 5; ++k) {
    if (lane == tile % 32) table.before_tile[k] = beside.total[k];
    if (lane == tile % 32 + 1) table.after_tile[k] = beside.total[k];
  }
}

/// Reads the totals of the `count` groups first, first + step, ... as far as they are before `tile`
/// or contain it, and stores the totals of these groups. `own` is the total of `tile`.
template <unsigned count, class A, class Op>
__device__ void read_groups(unsigned first, unsigned step, unsigned tile, A const& own,
                            tile_totals<A> const& tiles, prefix_table<A> const& table,
                            unsigned lane, Op const& op) {
  typename tile_totals<A>::tagged_total found[count];
  unsigned missing = 0;
#pragma unroll
  for (unsigned j = 0; j < count; ++j) {
    found[j] = tiles.tagged(own);
    if ((first + j * step) * 32 + lane < tile) missing |= 1U << j;
  }
  do {
    unsigned const wanted = missing;
#pragma unroll
    for (unsigned j = 0; j < count; ++j)
      tiles.look((first + j * step) * 32 + lane, wanted & 1U << j, found[j]);
    missing = 0;
#pragma unroll
    for (unsigned j = 0; j < count; ++j)
      if (tiles.missing(found[j]) != 0) missing |= 1U << j;
    if (missing != 0) look_again();
  } while (__any_sync(whole_warp, missing != 0));
  A group[count];
#pragma unroll
  for (unsigned j = 0; j < count; ++j) {
    group[j] = found[j].value();
    if (first + j * step == tile / 32) enter_tile(group[j], tile, table, lane, op);
  }
  A const total = each_row_total(group, lane, op);
  if (lane < count) table.groups[first + mirrored<count>(lane) * step] = total;
}

/// Called by all warps of a block of `warps` warps, which then synchronize: fills the table of
/// `tile`, whose total is `own`. `op` is that for totals of tiles.
template <unsigned warps, class A, class Op>
__device__ void read_table(unsigned tile, A const& own, tile_totals<A> const& tiles,
                           prefix_table<A> const& table, unsigned warp, unsigned lane,
                           Op const& op) {
  constexpr unsigned at_once = words_of<A> <= 2 && warps <= 16 ? 2 : 1;
  for (unsigned g = warp; g <= tile / 32; g += warps * at_once)
    read_groups<at_once>(g, warps, tile, own, tiles, table, lane, op);
}

/// The exclusive and the inclusive prefix of `tile`, from a complete table, in every lane. `op` is
/// that for totals of tiles.
template <class A, class Op>
__device__ void prefixes_from(prefix_table<A> const& table, unsigned tile, prefix_of<A, Op>& before,
                              prefix_of<A, Op>& after, scan_start<A> const& start, unsigned lane,
                              Op const& op) {
  unsigned const group = tile / 32;
  A const total = table.groups[lane < group ? lane : group];
  siblings<A> beside;
  (void)butterfly<5>(total, beside, raised(op, 5));
  prefix_of<A, Op> at_group(start.has_before ? start.left() : total, start.has_before);
  beside.append_to(at_group, lane, raised(op, 5));
  before = at_group.from_lane(group, start.has_before);
  after = tile % 32 == 31 ? at_group.from_lane(group + 1, start.has_before) : before;
  append_siblings(before, table.before_tile, tile % 32, op);
  if (tile % 32 != 31) append_siblings(after, table.after_tile, tile % 32 + 1, op);
}

}  // namespace upsweep::device
