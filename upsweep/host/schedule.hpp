/// How threads process the tiles of a call, independent of the engine that works on a tile.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/any_engine.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/tiles.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/moments.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// The prefixes before a tile (nothing before the first one) and after it.
template <class A>
struct prefixes {
  std::optional<A> before;
  A after;
};

/// Appends the totals of tiles in input order. If any thread can compute any total
/// (`repeats_totals`), nobody waits much longer than that takes: the thread of the tile that comes
/// next may not be running, and another thread computes the total instead.
template <class A>
class common_carry {
 public:
  common_carry(detail::block_sequence const& blocks, tickets& of, int threads,
               any_scan<A> const& scan, carry<A> const& left)
      : blocks_(blocks),
        op_(scan.operation),
        repeats_totals_(scan.repeats_totals),
        order_(of, blocks.size(), threads),
        all_(left),
        tiles_(new tile_state[blocks.size()]) {}
  ~common_carry() { delete[] tiles_; }
  common_carry(common_carry const&) = delete;
  common_carry& operator=(common_carry const&) = delete;

  /// Called by the thread that has taken `tile`: its prefixes, or nothing once it or an earlier
  /// tile has failed.
  std::optional<prefixes<A>> append(any_engine<A>& engine, std::size_t tile) {
    std::size_t const started = repeats_totals_ ? threads::nanoseconds() : 0;
    A total = total_of(engine, tile);
    std::size_t const patience =
        repeats_totals_ ? 20000 + 2 * (threads::nanoseconds() - started) : turns::forever;
    if (order_.claim(tile)) publish(tile, std::move(total));
    auto const push = [this](std::size_t t) { this->push(t); };
    while (true) {
      auto const now = order_.wait(tile, push, patience);
      if (now == turns::answer::ended) return {};
      if (now == turns::answer::appended) return std::move(tiles_[tile].found);
      // Only built-in operators repeat totals, and theirs do not throw.
      std::size_t const late = order_.current();
      if (late < tile && order_.claim(late)) publish(late, total_of(engine, late));
    }
  }

  /// The carry after the last tile, when all threads are done.
  [[nodiscard]] carry<A> const& all() const { return all_; }

 private:
  struct tile_state {
    std::optional<A> total;
    std::optional<prefixes<A>> found;
  };

  A total_of(any_engine<A>& engine, std::size_t tile) const {
    return engine.up(blocks_[tile].position, blocks_[tile].k);
  }
  void publish(std::size_t tile, A total) {
    tiles_[tile].total.emplace(std::move(total));
    order_.publish(tile);
  }
  void push(std::size_t tile) {
    std::optional<A> before;
    if (all_.prefix()) before.emplace(*all_.prefix());
    all_.push(blocks_[tile].k, std::move(*tiles_[tile].total), op_);
    tiles_[tile].found.emplace(prefixes<A>{std::move(before), *all_.prefix()});
  }

  detail::block_sequence const& blocks_;
  any_operation<A> const& op_;
  bool const repeats_totals_;
  turns order_;
  carry<A> all_;
  tile_state* tiles_;
};

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

/// Appends blocks to `left` on the calling thread; see reduce_tiles.
template <class BlockTotal, class Op, class A>
void reduce_blocks(BlockTotal const& block_total, detail::block_sequence const& blocks,
                   Op const& op, carry<A>& left) {
  auto is_final = [&](A const& a) {
    if constexpr (requires { block_total.is_final(a); })
      return block_total.is_final(a);
    else
      return false;
  };
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (left.prefix() && is_final(*left.prefix()))
      left.push(blocks[b].k, A(*left.prefix()), op);
    else
      left.push(blocks[b].k, block_total(blocks[b].position, blocks[b].k), op);
}

/// reduce_tiles on several threads, perhaps after a trial.
template <class A>
void reduce_in_parallel(any_totals<A> const& block_total, std::size_t end,
                        any_operation<A> const& op, plan const& p, carry<A>& left) {
  if (p.trial != 0) {
    auto const run = [&](std::size_t to, plan const& by) {
      reduce_in_parallel(block_total, to, op, by, left);
    };
    return run(end, after_trial(p, left.position(), end, run));
  }
  if (p.threads <= 1 || (left.prefix() && block_total.is_final(*left.prefix())))
    return reduce_blocks(block_total, {left.position(), end, detail::largest_block_log2}, op, left);
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  ticketed_totals<A> totals(blocks.size(), p.order == tile_order::shares ? p.threads : 1);
  run_tickets(totals, p.threads, [&](std::size_t tile) {
    totals.publish(tile, block_total(blocks[tile].position, blocks[tile].k));
    if (block_total.is_final(*totals.total(tile))) totals.end_after(tile);
  });
  // A final total is also that of all later tiles.
  for (std::size_t b = 0, last = 0; b < blocks.size(); ++b) {
    left.push(blocks[b].k, *totals.total(last), op);
    if (!block_total.is_final(*totals.total(last))) ++last;
  }
}

/// scan_tiles for engines that read a tile twice and keep nothing of it in between: each thread
/// reduces its runs of tiles, and scans them as soon as all earlier runs have been reduced. Calls
/// over the same number of tiles have the same runs, so a core finds its input and output in its
/// cache.
template <class A>
void scan_shares(any_scan<A> const& scan, std::size_t end, plan const& p, carry<A>& left) {
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  ticketed_totals<A> totals(blocks.size());
  shares parts(p.threads);
  carry<A> last;
  auto first_of = [&](int part) {
    return detail::part_begin(blocks.size(), static_cast<std::size_t>(parts.count()),
                              static_cast<std::size_t>(part));
  };
  auto up = [&](any_engine<A>& engine, int part) {
    std::size_t tile = first_of(part);
    try {
      for (; tile < first_of(part + 1); ++tile)
        totals.publish(tile, engine.up(blocks[tile].position, blocks[tile].k));
    } catch (...) {
      totals.fail(tile);
    }
    parts.finish(part);
  };
  auto down = [&](any_engine<A>& engine, int part) {
    std::size_t const end_of_part = first_of(part + 1);
    std::size_t tile = first_of(part);
    if (tile == end_of_part) return;
    try {
      carry<A> mine(left);
      for (int k = 0; k <= part; ++k) {
        parts.wait_for(k);
        for (std::size_t t = first_of(k); t < first_of(k + 1); ++t) {
          if (!totals.is_ready(t)) return;
          std::optional<A> before;
          if (k == part && mine.prefix()) before.emplace(*mine.prefix());
          mine.push(blocks[t].k, *totals.total(t), scan.operation);
          if (k < part) continue;
          tile = t;
          engine.down(blocks[t].position, blocks[t].k, before ? &*before : nullptr, *mine.prefix());
        }
      }
      if (end_of_part == blocks.size()) last = mine;
    } catch (...) {
      totals.fail(tile);
    }
  };
  auto work = [&](int worker) {
    auto both = [&](any_engine<A>& engine) {
      parts.run(0, worker, [&](int part) { up(engine, part); });
      parts.run(1, worker, [&](int part) { down(engine, part); });
    };
    scan.with_engine(both);  // makes an engine whose constructor does not throw: scan_tiles
  };
  threads::run(p.threads, work);
  totals.rethrow();
  left = last;
}

/// scan_tiles by tickets: each thread reduces its tile, waits until the total is appended to the
/// one carry of the call, by itself or another thread, and then scans the tile, whose elements (or
/// nodes) are still in its cache.
template <class A>
void scan_by_tickets(any_scan<A> const& scan, std::size_t end, plan const& p, carry<A>& left) {
  detail::block_sequence const blocks(left.position(), end, p.tile_log2);
  tickets tiles(blocks.size());
  common_carry<A> totals(blocks, tiles, p.threads, scan, left);
  // If so, a thread takes its next tile before it finishes the current one.
  bool const ahead = scan.fetches_ahead && p.ahead;
  auto scan_tile = [&](any_engine<A>& engine, std::size_t tile, std::optional<std::size_t> next) {
    auto const found = totals.append(engine, tile);
    if (!found) return;
    auto const [position, k] = blocks[tile];
    if (next && blocks[*next].k == k) engine.expect(blocks[*next].position);
    engine.down(position, k, found->before ? &*found->before : nullptr, found->after);
  };
  auto work = [&](int) {
    auto tile = tiles.take();
    if (!tile) return;
    auto scan_all = [&](any_engine<A>& engine) {
      while (tile) {
        std::optional<std::size_t> next;
        if (ahead) next = tiles.take();
        scan_tile(engine, *tile, next);
        tile = ahead ? next : tiles.take();
      }
    };
    try {
      scan.with_engine(scan_all);
    } catch (...) {
      tiles.fail(*tile);
    }
  };
  threads::run(p.threads, work);
  tiles.rethrow();
  left = totals.all();
}

/// scan_tiles on several threads.
template <class A>
void scan_in_parallel(any_scan<A> const& scan, std::size_t end, plan const& p, carry<A>& left) {
  if (scan.keeps_nothing && p.order == tile_order::shares)
    scan_shares(scan, end, p, left);
  else
    scan_by_tickets(scan, end, p, left);
}

/// reduce_in_parallel and scan_in_parallel for the accumulators that most operators have; instances
/// are in schedule.cpp.
template <class A>
struct tile_schedule {
  void (*scan)(any_scan<A> const& scan, std::size_t end, plan const& p, carry<A>& left);
  void (*reduce)(any_totals<A> const& block_total, std::size_t end, any_operation<A> const& op,
                 plan const& p, carry<A>& left);
};
template <class A>
struct UPSWEEP_API compiled_schedule {
  static tile_schedule<A> const value;
};
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class A>
tile_schedule<A> const& schedule_of() {
  return compiled_schedule<A>::value;
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif
using compiled_accumulators =
    dynamic::join<dynamic::integers, dynamic::wide_floats,
                  dynamic::types<bool, affine_map<float>, affine_map<double>, detail::moments_of>>;
template <class A>
inline constexpr bool has_compiled_schedule = dynamic::is_in<A, compiled_accumulators>;

/// Appends the elements [left.position(), end) to `left`: block_total(position, k) returns the
/// total of the aligned block of 2^k elements at `position`. If it has is_final(total), blocks that
/// change nothing need not be read.
template <class BlockTotal, class Op, class A>
void reduce_tiles(BlockTotal const& block_total, std::size_t end, Op const& op, plan const& p,
                  carry<A>& left) {
  if (p.trial == 0 && p.threads <= 1)
    return reduce_blocks(block_total, {left.position(), end, p.tile_log2}, op, left);
  totals_as<A, BlockTotal> const totals(block_total);
  operation_as<A, Op> const operation(op);
  if constexpr (has_compiled_schedule<A>)
    schedule_of<A>().reduce(totals, end, operation, p, left);
  else
    reduce_in_parallel<A>(totals, end, operation, p, left);
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
    constexpr bool one_pass = requires(Engine& e) { e.pass(std::size_t{}, int{}, left.prefix()); };
    Engine engine(scan);
    detail::block_sequence const blocks(left.position(), end,
                                        one_pass ? detail::largest_block_log2 : p.tile_log2);
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
    return p;
  }
  static_assert(!requires { Engine::keeps_nothing; } ||
                std::is_nothrow_constructible_v<Engine, Scan const&>);
  operation_as<A, Op> const operation(op);
  scan_as<A, Engine, Scan> const any(scan, operation);
  if constexpr (has_compiled_schedule<A>)
    schedule_of<A>().scan(any, end, p, left);
  else
    scan_in_parallel<A>(any, end, p, left);
  return p;
}

}  // namespace upsweep::host
