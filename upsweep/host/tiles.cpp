/// The implementation of tiles.hpp: tickets, turns, shares, and stores that bypass the caches.
#include <upsweep/host/thread_sanitizer.hpp>
#include <upsweep/host/tiles.hpp>
#include <upsweep/system/system.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
  system::mutex mutex;
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
  thread_sanitizer::release(&state_->tile[tile]);
  state_->tile[tile].store(state::ready, std::memory_order_release);
}

bool tickets::is_ready(std::size_t tile) const {
  if (state_->tile[tile].load(std::memory_order_acquire) != state::ready) return false;
  thread_sanitizer::acquire(&state_->tile[tile]);
  return true;
}

bool tickets::wait(std::size_t tile) const {
  for (int turn = 0;; ++turn) {
    if (is_ready(tile)) return true;
    if (state_->tile[tile].load(std::memory_order_relaxed) == state::failed || ended_before(tile))
      return false;
    (void)threads::pause(turn);
  }
}

bool tickets::ended_before(std::size_t tile) const {
  return state_->last_wanted.load(std::memory_order_relaxed) < tile;
}

void tickets::fail(std::size_t tile) noexcept {
  system::locked const lock(state_->mutex);
  std::uint8_t expected = state::pending;  // a tile that has published its total keeps it
  state_->tile[tile].compare_exchange_strong(expected, state::failed, std::memory_order_release,
                                             std::memory_order_relaxed);
  if (tile < state_->last_wanted.load(std::memory_order_relaxed)) {
    state_->last_wanted.store(tile, std::memory_order_relaxed);
    state_->exception = std::current_exception();
  }
}

void tickets::end_after(std::size_t tile) {
  system::locked const lock(state_->mutex);
  if (tile >= state_->last_wanted.load(std::memory_order_relaxed)) return;
  state_->last_wanted.store(tile, std::memory_order_relaxed);
  state_->exception = nullptr;
}

void tickets::rethrow() const {
  if (state_->exception) std::rethrow_exception(state_->exception);
}

void run_tickets(tickets& all, int workers, ticket_function call, void const* f) {
  auto work = [&](int worker) {
    while (auto const ticket = all.take(worker)) {
      try {
        call(f, *ticket);
      } catch (...) {
        all.fail(*ticket);
      }
    }
  };
  threads::run(workers, work);
  all.rethrow();
}

namespace {

/// Calls f(begin, end) for ranges of consecutive parts, on `most` threads.
template <class F>
void share_parts(std::size_t count, std::size_t most, F const& f) {
  std::size_t const runs = detail::at_most(count, most * 8);
  tickets shares(runs, static_cast<int>(most));
  run_tickets(shares, static_cast<int>(most), [&](std::size_t run) {
    f(detail::part_begin(count, runs, run), detail::part_begin(count, runs, run + 1));
  });
}

bool are_long(std::size_t count, std::size_t size) {
  // More elements than one core sums in the time in which a sleeping thread wakes.
  constexpr std::size_t worth_teams = std::size_t{1} << 18;
  return count * size >= detail::at_most(worth_teams, threads::largest_cutoff);
}

}  // namespace

void run_lines(std::size_t count, std::size_t size, int threads, line_function call,
               void const* f) {
  // A larger team finds less of its line in its caches than the same call of all threads does.
  constexpr std::size_t largest_team = 4;
  int const team_size = threads::team_size(count * size, worth_waking, threads);
  auto const most = static_cast<std::size_t>(team_size);
  std::size_t line = 0;
  if (most > 1 && (count >= 2 * most || are_long(count, size))) {
    line = count >= 2 * most ? count : count / most * most;
    if (line > 0)
      share_parts(line, most, [&](std::size_t begin, std::size_t end) { call(f, begin, end, 1); });
    while (count - line > 1 && (count - line) * largest_team >= most) {
      std::size_t const teams = std::bit_floor(count - line);
      int const team = static_cast<int>(most / teams);
      threads::start(team_size);
      share_parts(teams, teams, [&](std::size_t begin, std::size_t end) {
        threads::inside_call const nested(team);
        call(f, line + begin, line + end, team);
      });
      line += teams;
    }
  }
  if (line < count) call(f, line, count, threads);
}

void run_parts(std::size_t count, std::size_t size, int threads, part_function call,
               void const* f) {
  auto const most =
      static_cast<std::size_t>(threads::team_size(count * size, worth_waking, threads));
  if (most <= 1 || count <= 1) {
    if (count > 0) call(f, 0, count);
    return;
  }
  share_parts(count, detail::at_most(most, count),
              [&](std::size_t begin, std::size_t end) { call(f, begin, end); });
}

struct turns::state {
  enum : std::uint8_t { nothing, claimed, published };

  /// Where the waiting threads of some tiles look: 1 more than the last of them that is appended.
  struct place {
    alignas(64) std::atomic<std::size_t> appended{0};
  };

  state(tickets& calls, std::size_t tiles, int threads)
      : of(calls),
        count(tiles),
        place_count(2 * static_cast<std::size_t>(threads) + 1),
        places(new place[place_count]),
        stage(new std::atomic<std::uint8_t>[tiles]()) {}

  [[nodiscard]] std::atomic<std::size_t>& appended(std::size_t tile) const {
    return places[tile % place_count].appended;
  }
  [[nodiscard]] bool is_published(std::size_t tile) const {
    if (tile >= count || stage[tile] != published) return false;
    thread_sanitizer::acquire(&stage[tile]);
    return true;
  }

  tickets& of;
  std::size_t count, place_count;
  std::unique_ptr<place[]> places;
  std::unique_ptr<std::atomic<std::uint8_t>[]> stage;
  alignas(64) std::atomic<std::size_t> current{0};
  alignas(64) std::atomic<bool> is_appending{false};  // for ever, once a tile has failed
};

turns::turns(tickets& of, std::size_t tiles, int threads) : state_(new state(of, tiles, threads)) {}
turns::~turns() {
  delete state_;
}

bool turns::claim(std::size_t tile) {
  std::uint8_t expected = state::nothing;
  return state_->stage[tile].compare_exchange_strong(expected, state::claimed);
}

void turns::publish(std::size_t tile) {
  thread_sanitizer::release(&state_->stage[tile]);
  state_->stage[tile] = state::published;
}

std::size_t turns::current() const {
  return state_->current.load(std::memory_order_acquire);
}

/// Either this thread sees a tile that is published while it appends, or that tile's thread sees
/// that nobody appends: both store before they look.
void turns::append_published(append_function append, void const* by) {
  while (state_->is_published(current()) && !state_->is_appending.exchange(true)) {
    thread_sanitizer::acquire(&state_->is_appending);
    std::size_t tile = current();
    try {
      for (; state_->is_published(tile); ++tile) {
        append(by, tile);
        state_->current.store(tile + 1, std::memory_order_release);
        thread_sanitizer::release(&state_->appended(tile));
        state_->appended(tile).store(tile + 1, std::memory_order_release);
      }
    } catch (...) {
      return state_->of.fail(tile);
    }
    thread_sanitizer::release(&state_->is_appending);
    state_->is_appending = false;
  }
}

turns::answer turns::wait(std::size_t tile, append_function append, void const* by,
                          std::size_t patience) {
  constexpr int between_looks = 32;
  auto const& appended = state_->appended(tile);
  std::size_t end = 0;
  bool looks = true;
  for (int turn = 1;; ++turn) {
    if (looks) append_published(append, by);
    if (appended.load(std::memory_order_acquire) > tile) {
      thread_sanitizer::acquire(&appended);
      return answer::appended;
    }
    if (state_->of.ended_before(tile + 1)) return answer::ended;
    if (looks && patience != forever) {
      std::size_t const now = threads::nanoseconds();
      if (end == 0) end = now + patience;
      if (now > end) return answer::late;
    }
    looks = threads::pause(turn) || turn % between_looks == 0;
  }
}

/// Each part has a cache line of its own: the threads that wait for one do not take it from others
/// that write theirs.
struct shares::progress {
  alignas(64) std::atomic<bool> begun[2]{false, false};  // by phase
  std::atomic<bool> finished{false};                     // the first phase
};

shares::shares(int workers)
    : workers_(workers), parts_(new progress[static_cast<std::size_t>(count())]) {}
shares::~shares() {
  delete[] parts_;
}

bool shares::claim(int phase, int part) {
  auto& begun = parts_[part].begun[phase];
  return !begun.load(std::memory_order_relaxed) && !begun.exchange(true, std::memory_order_relaxed);
}

void shares::wait_for_owners(int phase, std::size_t end) const {
  int part = 0;
  for (int turn = 0; threads::nanoseconds() < end; ++turn) {
    while (parts_[part].begun[phase].load(std::memory_order_relaxed))
      if (++part == count()) return;
    (void)threads::pause(turn);
  }
}

void shares::finish(int part) {
  thread_sanitizer::release(&parts_[part].finished);
  parts_[part].finished.store(true, std::memory_order_release);
}

void shares::wait_for(int part) const {
  for (int turn = 0; !parts_[part].finished.load(std::memory_order_acquire); ++turn)
    (void)threads::pause(turn);
  thread_sanitizer::acquire(&parts_[part].finished);
}

#ifdef __SSE2__
streaming_stores::~streaming_stores() {
  if (used_) _mm_sfence();
}

/// In aligned pieces of 16 bytes that bypass the caches.
void streaming_stores::copy_bytes(void const* from, void* to, std::size_t bytes) {
  constexpr std::size_t piece = sizeof(__m128i);
  auto const* in = static_cast<std::byte const*>(from);
  auto* out = static_cast<std::byte*>(to);
  std::size_t const past_piece = reinterpret_cast<std::uintptr_t>(to) % piece;
  std::size_t i = past_piece == 0 ? 0 : detail::at_most(bytes, piece - past_piece);
  std::memcpy(out, in, i);
  for (; i + piece <= bytes; i += piece)
    _mm_stream_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_loadu_si128(reinterpret_cast<__m128i const*>(in + i)));
  std::memcpy(out + i, in + i, bytes - i);
}
#else
streaming_stores::~streaming_stores() {
  (void)used_;  // ordinary stores need no fence
}

void streaming_stores::copy_bytes(void const* from, void* to, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
#endif

}  // namespace upsweep::host
