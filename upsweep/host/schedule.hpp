/// How threads process the tiles of a call, independent of the engine that works on a tile.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/common_carry.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// Runs the trial of `p` on the calling thread by run(end, plan), which processes the elements up
/// to `end`; returns the plan of the rest. Calls that the operator makes are nested, as they are on
/// several threads.
template <class Run>
plan after_trial(plan const& p, std::size_t begin, std::size_t end, Run const& run) {
  plan first = p;
  first.trial = 0;
  first.threads = 1;
  threads::inside_call const nested;
  std::size_t const started = threads::nanoseconds();
  run(begin + p.trial, first);
  return plan_after_trial(p, end - begin, threads::nanoseconds() - started);
}

/// The first of `tiles` tiles in a share; shares are consecutive and as even as possible.
[[nodiscard]] inline std::size_t first_of_share(std::size_t tiles, int share, int count) {
  return tiles * static_cast<std::size_t>(share) / static_cast<std::size_t>(count);
}

/// Calls publish(tile) for all tiles, in the order of the plan. It returns false if the tile fails.
template <class Publish>
void publish_totals(Publish const& publish, std::size_t tiles, plan const& p, tickets& taken) {
  auto by_tickets = [&](int) {
    while (auto const tile = taken.take()) (void)publish(*tile);
  };
  if (p.order == tile_order::tickets) return threads::run(p.threads, by_tickets);
  shares parts(p.threads);
  auto by_shares = [&](int worker) {
    parts.run(0, worker, [&](int part) {
      std::size_t tile = first_of_share(tiles, part, p.threads);
      std::size_t const end = first_of_share(tiles, part + 1, p.threads);
      while (tile < end && publish(tile)) ++tile;
    });
  };
  threads::run(p.threads, by_shares);
}

/// Appends the elements [left.position(), end) to `left`: block_total(position, k) returns the
/// total of the aligned block of 2^k elements at `position`. If it has is_final(total), blocks that
/// change nothing need not be read.
template <class BlockTotal, class Op, class A>
void reduce_tiles(BlockTotal const& block_total, std::size_t end, Op const& op, plan const& p,
                  carry<A>& left) {
  if (p.trial != 0) {
    auto const run = [&](std::size_t to, plan const& by) {
      reduce_tiles(block_total, to, op, by, left);
    };
    return run(end, after_trial(p, left.position(), end, run));
  }
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  auto is_final = [&](A const& a) {
    if constexpr (requires { block_total.is_final(a); })
      return block_total.is_final(a);
    else
      return false;
  };
  bool const is_known = left.prefix() && is_final(*left.prefix());
  if (p.threads <= 1 || is_known) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (left.prefix() && is_final(*left.prefix()))
        left.push(blocks[b].k, A(*left.prefix()), op);
      else
        left.push(blocks[b].k, block_total(blocks[b].position, blocks[b].k), op);
    return;
  }
  ticketed_totals<A> totals(blocks.size());
  auto publish = [&](std::size_t tile) {
    try {
      totals.publish(tile, block_total(blocks[tile].position, blocks[tile].k));
      if (is_final(*totals.total(tile))) totals.end_after(tile);
      return true;
    } catch (...) {
      totals.fail(tile);
      return false;
    }
  };
  publish_totals(publish, blocks.size(), p, totals);
  totals.rethrow();
  // A final total stands for all that come after it.
  for (std::size_t b = 0, last = 0; b < blocks.size(); ++b) {
    left.push(blocks[b].k, *totals.total(last), op);
    if (!is_final(*totals.total(last))) ++last;
  }
}

/// Appends [left.position(), end) to `left` and emits its results, on the calling thread.
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

/// scan_tiles for engines that read a tile twice and keep nothing of it in between: each thread
/// reduces its run of tiles, waits until all runs have been reduced, and scans its run. Calls over
/// the same number of tiles have the same runs, so a core finds its input and output in its cache.
template <class Engine, class Scan, class Op, class A>
void scan_shares(Scan const& scan, std::size_t end, Op const& op, plan const& p, carry<A>& left) {
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  ticketed_totals<A> totals(blocks.size());
  shares parts(p.threads);
  carry<A> last;
  auto first_of = [&](int part) { return first_of_share(blocks.size(), part, p.threads); };
  auto up = [&](Engine& engine, int part) {
    std::size_t tile = first_of(part);
    try {
      for (; tile < first_of(part + 1); ++tile)
        totals.publish(tile, engine.up(blocks[tile].position, blocks[tile].k));
    } catch (...) {
      totals.fail(tile);
    }
    parts.finish_first_phase();
  };
  auto down = [&](Engine& engine, int part) {
    std::size_t tile = first_of(part);
    if (tile == first_of(part + 1)) return;
    try {
      carry<A> mine(left);
      auto push = [&](std::size_t t) { mine.push(blocks[t].k, *totals.total(t), op); };
      for (std::size_t t = 0; t < tile; ++t)
        if (!totals.is_ready(t))
          return;
        else
          push(t);
      for (; tile < first_of(part + 1); ++tile) {
        if (!totals.is_ready(tile)) return;
        std::optional<A> before;
        if (mine.prefix()) before.emplace(*mine.prefix());
        push(tile);
        engine.down(blocks[tile].position, blocks[tile].k, before ? &*before : nullptr,
                    *mine.prefix());
      }
      if (tile == blocks.size()) last = mine;
    } catch (...) {
      totals.fail(tile);
    }
  };
  auto work = [&](int worker) {
    static_assert(std::is_nothrow_constructible_v<Engine, Scan const&>);
    Engine engine(scan);
    parts.run(0, worker, [&](int part) { up(engine, part); });
    parts.wait_for_first_phase();
    parts.run(1, worker, [&](int part) { down(engine, part); });
  };
  threads::run(p.threads, work);
  totals.rethrow();
  left = last;
}

/// scan_tiles by tickets: each thread reduces its tile, appends the total to the one carry of the
/// call when it is the tile's turn, and then scans the tile, whose elements (or nodes) are still in
/// its cache.
template <class Engine, class Scan, class Op, class A>
void scan_by_tickets(Scan const& scan, std::size_t end, Op const& op, plan const& p,
                     carry<A>& left) {
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  tickets tiles(blocks.size());
  common_carry<Engine, Op, A> totals(blocks, tiles, p.threads, op, left);
  // If so, a thread takes its next tile before it finishes the current one.
  constexpr bool fetches_ahead = requires(Engine& engine) { engine.expect(std::size_t{}); };
  auto scan_tile = [&](Engine& engine, std::size_t tile, std::optional<std::size_t> next) {
    auto const found = totals.append(engine, tile);
    if (!found) return;
    auto const [position, k] = blocks[tile];
    if constexpr (fetches_ahead)
      if (next && blocks[*next].k == k) engine.expect(blocks[*next].position);
    engine.down(position, k, found->before ? &*found->before : nullptr, found->after);
  };
  auto work = [&](int) {
    auto tile = tiles.take();
    if (!tile) return;
    try {
      Engine engine(scan);
      while (tile) {
        std::optional<std::size_t> next;
        bool const ahead = fetches_ahead && p.ahead;
        if (ahead) next = tiles.take();
        scan_tile(engine, *tile, next);
        tile = ahead ? next : tiles.take();
      }
    } catch (...) {
      tiles.fail(*tile);
    }
  };
  threads::run(p.threads, work);
  tiles.rethrow();
  left = totals.all();
}

/// Appends [left.position(), end) to `left` and emits its results. Each thread makes its own engine
/// from `scan`. Returns the plan that the elements after p.trial followed.
template <class Engine, class Scan, class Op, class A>
plan scan_tiles(Scan const& scan, std::size_t end, Op const& op, plan const& p, carry<A>& left) {
  if (p.trial != 0) {
    auto const run = [&](std::size_t to, plan const& by) {
      scan_tiles<Engine>(scan, to, op, by, left);
    };
    plan const rest = after_trial(p, left.position(), end, run);
    run(end, rest);
    return rest;
  }
  if (p.threads <= 1) {
    scan_tiles_serially<Engine>(scan, end, op, p, left);
    return p;
  }
  if constexpr (requires { Engine::keeps_nothing; })
    if (p.order == tile_order::shares) {
      scan_shares<Engine>(scan, end, op, p, left);
      return p;
    }
  scan_by_tickets<Engine>(scan, end, op, p, left);
  return p;
}

}  // namespace upsweep::host
