/// The carry of a scan whose threads take their tiles by tickets.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/any_engine.hpp>
#include <upsweep/host/tiles.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// The prefixes in front of a tile (nothing in front of the first one) and behind it.
template <class A>
struct prefixes {
  std::optional<A> before;
  A after;
};

/// Appends the totals of tiles in their turns. If any thread can compute any total
/// (`repeats_totals`), nobody waits much longer than that takes: the thread of the tile whose turn
/// it is may have lost its processor, and another one appends the total in its place.
template <class A>
class common_carry {
 public:
  common_carry(detail::block_sequence const& blocks, tickets const& of, int threads,
               any_scan<A> const& scan, carry<A> const& left)
      : blocks_(blocks),
        op_(scan.operation()),
        repeats_totals_(std::is_trivially_copyable_v<A> && scan.repeats_totals()),
        order_(of, blocks.size(), threads),
        all_(left),
        appended_by_others_(repeats_totals_ ? blocks.size() : 0) {}

  /// Called by the thread that has taken `tile`: its prefixes, or nothing once an earlier tile has
  /// failed.
  std::optional<prefixes<A>> append(any_engine<A> const& engine, std::size_t tile) {
    std::size_t const started = repeats_totals_ ? threads::nanoseconds() : 0;
    A total = total_of(engine, tile);
    if (repeats_totals_) {
      std::size_t const patience = 20000 + 2 * (threads::nanoseconds() - started);
      auto now = order_.wait(tile, patience);
      for (; now == turns::answer::late; now = order_.wait(tile, patience)) help(engine, tile);
      if (now == turns::answer::ended) return {};
      if (!order_.claim(tile)) {
        (void)order_.wait(tile + 1);
        if constexpr (std::is_trivially_copyable_v<A>) return appended_by_others_[tile].value();
      }
    } else if (order_.wait(tile) == turns::answer::ended) {
      return {};
    }
    auto found = push(tile, std::move(total));
    order_.pass(tile);
    return found;
  }

  /// The carry behind the last tile, when all threads are done.
  [[nodiscard]] carry<A> const& all() const { return all_; }

 private:
  A total_of(any_engine<A> const& engine, std::size_t tile) const {
    return engine.up(blocks_[tile].position, blocks_[tile].k);
  }
  prefixes<A> push(std::size_t tile, A total) {
    std::optional<A> before;
    if (all_.prefix()) before.emplace(*all_.prefix());
    all_.push(blocks_[tile].k, std::move(total), op_);
    return {std::move(before), *all_.prefix()};
  }
  /// Called by the thread of a later tile.
  void help(any_engine<A> const& engine, std::size_t waiting) {
    std::size_t const late = order_.current();
    if (late >= waiting || !order_.claim(late)) return;
    appended_by_others_[late].construct(push(late, total_of(engine, late)));
    order_.pass(late);
  }

  detail::block_sequence const& blocks_;
  any_operation<A> const& op_;
  bool const repeats_totals_;
  turns order_;
  carry<A> all_;
  detail::uninitialized_array<prefixes<A>> appended_by_others_;
};

}  // namespace upsweep::host
