/// How several threads share the tiles of one call: tickets in input order, totals published as they come, the first failure wins.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cpu/threads.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>

namespace upsweep {

/// The tiles [0, count) of one parallel call. Tiles are handed out in order, and a thread publishes its tile's total before it
/// waits for the totals of earlier tiles; so the earliest tile in flight never waits, and nothing depends on how many threads
/// really run.
///
/// When tiles fail, the lowest of them is always reached (its ticket came before any later one's), so the exception that leaves is
/// the first in input order, whatever the timing.
template <class A>
class tile_board {
 public:
  explicit tile_board(std::size_t count) : count_(count), slots_(new slot[count]) {}
  ~tile_board() {
    for (std::size_t t = 0; t < count_; ++t)
      if (slots_[t].state.load(std::memory_order_relaxed) == ready) slots_[t].total.destroy();
  }

  /// The next tile, or nothing when all are taken or an earlier one has failed.
  [[nodiscard]] std::optional<std::size_t> take() {
    std::size_t const tile = next_.fetch_add(1, std::memory_order_relaxed);
    if (tile >= count_ || tile > failed_.load(std::memory_order_relaxed)) return {};
    return tile;
  }

  void publish(std::size_t tile, A total) {
    slots_[tile].total.construct(std::move(total));
    slots_[tile].state.store(ready, std::memory_order_release);
  }

  /// The total of `tile`, or nullptr when it failed.
  [[nodiscard]] A const* wait(std::size_t tile) const {
    for (int turn = 0;; ++turn) {
      auto const state = slots_[tile].state.load(std::memory_order_acquire);
      if (state == ready) return std::addressof(slots_[tile].total.value());
      if (state == failed || failed_.load(std::memory_order_relaxed) < tile) return nullptr;
      threads::pause(turn);
    }
  }

  /// Called from a catch block: keeps the current exception if no earlier tile has failed.
  void fail(std::size_t tile) noexcept {
    std::lock_guard const lock(mutex_);
    if (slots_[tile].state.load(std::memory_order_relaxed) == pending) slots_[tile].state.store(failed, std::memory_order_release);
    if (tile < failed_.load(std::memory_order_relaxed)) {
      failed_.store(tile, std::memory_order_relaxed);
      exception_ = std::current_exception();
    }
  }

  void rethrow() {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  enum : std::uint8_t { pending, ready, failed };
  struct slot {
    std::atomic<std::uint8_t> state{pending};
    uninitialized<A> total;
  };

  std::size_t count_;
  std::unique_ptr<slot[]> slots_;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> failed_{~std::size_t{0}};
  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace upsweep
