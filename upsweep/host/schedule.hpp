/// The order in which threads go through the tiles of a call, whatever engine works on a tile.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep::host {

/// Pushes the elements [left.position(), end) to `left`: block_total(position, k) returns the total
/// of the aligned block of 2^k elements at `position`.
template <class BlockTotal, class Op, class A>
void reduce_tiles(BlockTotal const& block_total, std::size_t end, Op const& op, plan const& p,
                  carry<A>& left) {
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  if (p.threads <= 1) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      left.push(blocks[b].k, block_total(blocks[b].position, blocks[b].k), op);
    return;
  }
  tile_totals<A> totals(blocks.size());
  auto work = [&](int) {
    while (auto const b = totals.take()) {
      try {
        totals.publish(*b, block_total(blocks[*b].position, blocks[*b].k));
      } catch (...) {
        totals.fail(*b);
      }
    }
  };
  threads::run(p.threads, work);
  totals.rethrow();
  for (std::size_t b = 0; b < blocks.size(); ++b) left.push(blocks[b].k, *totals.total(b), op);
}

/// Pushes [left.position(), end) to `left` and emits its results, on the calling thread.
template <class Engine, class Scan, class Op, class A>
void scan_tiles_serially(Scan const& scan, std::size_t end, Op const& op, plan const& p,
                         carry<A>& left) {
  constexpr bool one_pass =
      requires(Engine& engine) { engine.pass(std::size_t{}, int{}, left.prefix()); };
  Engine engine(scan);
  detail::block_sequence const blocks(left.position(), end, one_pass ? 62 : p.tile_log2);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto const [position, k] = blocks[b];
    if constexpr (one_pass) {
      left.push(k, engine.pass(position, k, left.prefix()), op);
      engine.finish(position, k, *left.prefix());
    } else {
      A total = engine.up(position, k);
      std::optional<A> before;
      if (left.prefix()) before.emplace(*left.prefix());
      left.push(k, std::move(total), op);
      engine.down(position, k, before ? &*before : nullptr, *left.prefix());
    }
  }
}

/// Pushes [left.position(), end) to `left` and emits its results. On several threads, each
/// publishes its tile's total, pushes the totals of all tiles up to its own to a carry of its own,
/// and then scans the tile, whose elements (or nodes) are still in its cache. An engine is made
/// from `scan` by each thread.
template <class Engine, class Scan, class Op, class A>
void scan_tiles(Scan const& scan, std::size_t end, Op const& op, plan const& p, carry<A>& left) {
  if (p.threads <= 1) return scan_tiles_serially<Engine>(scan, end, op, p, left);
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  tile_totals<A> totals(blocks.size());
  carry<A> last;
  constexpr bool fetches_ahead = requires(Engine& engine) {
    engine.expect(std::size_t{});
  };  // then a tile is taken one tile early
  auto scan_tile = [&](Engine& engine, carry<A>& mine, std::size_t& seen, std::size_t tile,
                       std::optional<std::size_t> next) {
    auto const [position, k] = blocks[tile];
    A const total = engine.up(position, k);
    totals.publish(tile, total);
    for (; seen < tile; ++seen) {
      A const* const earlier = totals.total(seen);
      if (!earlier) return;
      mine.push(blocks[seen].k, *earlier, op);
    }
    std::optional<A> before;
    if (mine.prefix()) before.emplace(*mine.prefix());
    mine.push(k, total, op);
    seen = tile + 1;
    if constexpr (fetches_ahead)
      if (next && blocks[*next].k == k) engine.expect(blocks[*next].position);
    engine.down(position, k, before ? &*before : nullptr, *mine.prefix());
    if (tile + 1 == blocks.size()) last = mine;
  };
  auto work = [&](int) {
    auto tile = totals.take();
    if (!tile) return;
    try {
      Engine engine(scan);
      carry<A> mine(left);
      std::size_t seen = 0;
      while (tile) {
        std::optional<std::size_t> next;
        if constexpr (fetches_ahead) next = totals.take();
        scan_tile(engine, mine, seen, *tile, next);
        tile = fetches_ahead ? next : totals.take();
      }
    } catch (...) {
      totals.fail(*tile);
    }
  };
  threads::run(p.threads, work);
  totals.rethrow();
  left = last;
}

}  // namespace upsweep::host
