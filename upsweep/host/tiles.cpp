/// The implementation of the tickets of tiles.hpp.
#include <upsweep/host/tiles.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

namespace upsweep::host {

struct tickets::state {
  enum : std::uint8_t { pending, ready, failed };

  struct share {
    alignas(64) std::atomic<std::size_t> next;
  };

  state(std::size_t n, std::size_t workers)
      : count(n),
        shares(workers),
        share_of(new share[workers]),
        tile(new std::atomic<std::uint8_t>[n]()) {
    for (std::size_t s = 0; s < workers; ++s)
      share_of[s].next.store(detail::part_begin(n, workers, s), std::memory_order_relaxed);
  }

  std::size_t count, shares;
  std::unique_ptr<share[]> share_of;
  std::unique_ptr<std::atomic<std::uint8_t>[]> tile;
  /// The first tile that failed, or whose total is final.
  alignas(64) std::atomic<std::size_t> last_wanted{~std::size_t{0}};
  std::mutex mutex;
  std::exception_ptr exception;
};

tickets::tickets(std::size_t count, int workers)
    : state_(new state(count, static_cast<std::size_t>(workers))) {}
tickets::~tickets() {
  delete state_;
}

std::optional<std::size_t> tickets::take(int worker) {
  for (std::size_t i = 0; i < state_->shares; ++i) {
    std::size_t const s = (static_cast<std::size_t>(worker) + i) % state_->shares,
                      end = detail::part_begin(state_->count, state_->shares, s + 1);
    auto& next = state_->share_of[s].next;
    if (next.load(std::memory_order_relaxed) >= end) continue;
    std::size_t const tile = next.fetch_add(1, std::memory_order_relaxed);
    if (tile < end && !ended_before(tile)) return tile;
  }
  return {};
}

void tickets::mark_ready(std::size_t tile) {
  state_->tile[tile].store(state::ready, std::memory_order_release);
}

bool tickets::is_ready(std::size_t tile) const {
  return state_->tile[tile].load(std::memory_order_acquire) == state::ready;
}

bool tickets::wait(std::size_t tile) const {
  for (int turn = 0;; ++turn) {
    auto const now = state_->tile[tile].load(std::memory_order_acquire);
    if (now == state::ready) return true;
    if (now == state::failed || ended_before(tile)) return false;
    threads::pause(turn);
  }
}

bool tickets::ended_before(std::size_t tile) const {
  return state_->last_wanted.load(std::memory_order_relaxed) < tile;
}

void tickets::fail(std::size_t tile) noexcept {
  std::lock_guard const lock(state_->mutex);
  std::uint8_t expected = state::pending;  // a tile that has published its total keeps it
  state_->tile[tile].compare_exchange_strong(expected, state::failed, std::memory_order_release,
                                             std::memory_order_relaxed);
  if (tile < state_->last_wanted.load(std::memory_order_relaxed)) {
    state_->last_wanted.store(tile, std::memory_order_relaxed);
    state_->exception = std::current_exception();
  }
}

void tickets::end_after(std::size_t tile) {
  std::lock_guard const lock(state_->mutex);
  if (tile >= state_->last_wanted.load(std::memory_order_relaxed)) return;
  state_->last_wanted.store(tile, std::memory_order_relaxed);
  state_->exception = nullptr;
}

void tickets::rethrow() const {
  if (state_->exception) std::rethrow_exception(state_->exception);
}

struct turns::state {
  /// Where the waiting threads of some tiles look: 1 more than the last of them whose turn has
  /// begun.
  struct place {
    alignas(64) std::atomic<std::size_t> begun{0};
  };

  state(tickets const& calls, std::size_t tiles, int threads)
      : of(calls),
        count(2 * static_cast<std::size_t>(threads) + 1),
        places(new place[count]),
        claimed(new std::atomic<bool>[tiles]()) {}

  tickets const& of;
  std::size_t count;
  std::unique_ptr<place[]> places;
  std::unique_ptr<std::atomic<bool>[]> claimed;
  alignas(64) std::atomic<std::size_t> current{0};
};

turns::turns(tickets const& of, std::size_t tiles, int threads)
    : state_(new state(of, tiles, threads)) {
  state_->places[0].begun.store(1, std::memory_order_relaxed);
}
turns::~turns() {
  delete state_;
}

turns::answer turns::wait(std::size_t tile, std::size_t patience) const {
  auto const& begun = state_->places[tile % state_->count].begun;
  constexpr int between_looks = 32;  // at the clock
  std::size_t end = 0;
  for (int turn = 0; begun.load(std::memory_order_acquire) <= tile; ++turn) {
    if (state_->of.ended_before(tile)) return answer::ended;
    threads::pause(turn);
    if (patience == ~std::size_t{0} || turn % between_looks != 0) continue;
    std::size_t const now = threads::nanoseconds();
    if (end == 0) end = now + patience;
    if (now > end) return answer::late;
  }
  return answer::begun;
}

std::size_t turns::current() const {
  return state_->current.load(std::memory_order_acquire);
}

bool turns::claim(std::size_t tile) {
  return !state_->claimed[tile].exchange(true, std::memory_order_acq_rel);
}

void turns::pass(std::size_t tile) {
  state_->current.store(tile + 1, std::memory_order_release);
  state_->places[(tile + 1) % state_->count].begun.store(tile + 2, std::memory_order_release);
}

struct shares::state {
  explicit state(int count) : begun(new std::atomic<bool>[2 * static_cast<std::size_t>(count)]()) {}

  std::unique_ptr<std::atomic<bool>[]> begun;
  alignas(64) std::atomic<int> finished{0};
};

shares::shares(int count) : count_(count), state_(new state(count)) {}
shares::~shares() {
  delete state_;
}

bool shares::claim(int phase, int part) {
  auto& begun = state_->begun[static_cast<std::size_t>(phase * count_ + part)];
  return !begun.load(std::memory_order_relaxed) && !begun.exchange(true, std::memory_order_relaxed);
}

void shares::wait_for_owners(int phase, std::size_t end) const {
  auto const* const first = state_->begun.get() + phase * count_;
  for (int turn = 0; threads::nanoseconds() < end; ++turn) {
    if (std::all_of(first, first + count_,
                    [](auto const& begun) { return begun.load(std::memory_order_relaxed); }))
      return;
    threads::pause(turn);
  }
}

void shares::finish_first_phase() {
  state_->finished.fetch_add(1, std::memory_order_acq_rel);
}

void shares::wait_for_first_phase() const {
  for (int turn = 0; state_->finished.load(std::memory_order_acquire) != count_; ++turn)
    threads::pause(turn);
}

}  // namespace upsweep::host
