/// The carry of a scan whose threads take their tiles by tickets.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/any_engine.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>
#include <optional>
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
        op_(scan.operation()),
        repeats_totals_(scan.repeats_totals()),
        order_(of, blocks.size(), threads),
        all_(left),
        tiles_(new tile_state[blocks.size()]) {}
  ~common_carry() { delete[] tiles_; }
  common_carry(common_carry const&) = delete;
  common_carry& operator=(common_carry const&) = delete;

  /// Called by the thread that has taken `tile`: its prefixes, or nothing once it or an earlier
  /// tile has failed.
  std::optional<prefixes<A>> append(any_engine<A> const& engine, std::size_t tile) {
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

  A total_of(any_engine<A> const& engine, std::size_t tile) const {
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

}  // namespace upsweep::host
