/// How several threads share the tiles, lines or parts of one call: they draw tickets in input
/// order and publish totals; the first failure in input order wins.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/threads.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep::host {

/// Other threads see the copies when it has been destroyed; it copies only if it is `used`.
class UPSWEEP_API streaming_stores {
 public:
  explicit streaming_stores(bool used) : used_(used) {}
  ~streaming_stores();
  streaming_stores(streaming_stores const&) = delete;
  streaming_stores& operator=(streaming_stores const&) = delete;

  /// to[i] = from[i] for n elements.
  template <class A>
  void copy(A const* from, A* to, std::size_t n) const {
    copy_bytes(from, to, n * sizeof(A));
  }

 private:
  static void copy_bytes(void const* from, void* to, std::size_t bytes);

  bool used_;
};

/// The tickets of one parallel call over the tiles [0, count). Without shares tickets are drawn in
/// order, and a thread publishes its tile's total before it waits for those of earlier tiles. So
/// the earliest tile in flight never waits, and progress does not depend on how many threads run.
///
/// When tiles fail, the lowest of them is always reached, since only those after it are left out.
/// So the exception that propagates is the first in input order, whatever the timing.
class UPSWEEP_API tickets {
 public:
  /// Of `workers`, each has a share of consecutive tiles, so that it takes the same in every call.
  explicit tickets(std::size_t count, int workers = 1);
  ~tickets();
  tickets(tickets const&) = delete;
  tickets& operator=(tickets const&) = delete;

  /// The next tile of the worker's share or else of another's, or nothing when all are taken or
  /// those that are left are after the last that is wanted.
  [[nodiscard]] std::optional<std::size_t> take(int worker = 0);

  void mark_ready(std::size_t tile);
  [[nodiscard]] bool is_ready(std::size_t tile) const;
  /// Waits until `tile` is ready and returns true, or false once it or an earlier tile has failed.
  [[nodiscard]] bool wait(std::size_t tile) const;

  /// Whether a tile before `tile` has failed, or was the last one wanted.
  [[nodiscard]] bool ended_before(std::size_t tile) const;

  /// Called from a catch block by the thread that has taken `tile`: stores the current exception if
  /// no earlier tile has failed.
  void fail(std::size_t tile) noexcept;
  /// Tiles after `tile` are not wanted, nor are their failures.
  void end_after(std::size_t tile);
  /// Throws the exception that fail() has stored, if any. Called when all threads are done.
  void rethrow() const;

 private:
  struct state;
  state* state_;  // keeps <thread> and <atomic> out of users' translation units
};

/// f(arguments...), by the address of f: the code that calls it is then in the library, once. As a
/// lambda in a function of `turns` it would be exported, as that class is.
template <class F, class... Arguments>
void call_by_address(void const* f, Arguments... arguments) {
  (*static_cast<F const*>(f))(arguments...);
}

using ticket_function = void (*)(void const* f, std::size_t ticket);
UPSWEEP_API void run_tickets(tickets& all, int workers, ticket_function call, void const* f);
/// Calls f(ticket) for all tickets, on the threads of `workers` workers. Throws the first exception
/// in their order.
template <class F>
void run_tickets(tickets& all, int workers, F const& f) {
  run_tickets(all, workers, call_by_address<F>, &f);
}

/// Fewer elements run on the calling thread.
inline constexpr std::size_t worth_waking = std::size_t{1} << 14;

using line_function = void (*)(void const* f, std::size_t begin, std::size_t end, int threads);
UPSWEEP_API void run_lines(std::size_t count, std::size_t size, int threads, line_function call,
                           void const* f);
/// Calls f(begin, end, team) for ranges of `count` lines of `size` elements, on `threads` threads:
/// each of its lines is to run on `team` threads. Many lines are distributed over the threads, and
/// each runs on one. Fewer that are long run on small teams of threads at the same time, a few one
/// after another, each on all threads.
template <class F>
void run_lines(std::size_t count, std::size_t size, int threads, F const& f) {
  run_lines(count, size, threads, call_by_address<F>, &f);
}

using part_function = void (*)(void const* f, std::size_t begin, std::size_t end);
UPSWEEP_API void run_parts(std::size_t count, std::size_t size, int threads, part_function call,
                           void const* f);
/// Calls f(begin, end) for ranges of `count` parts of `size` elements, each on one thread, in all
/// calls on the same if none is late.
template <class F>
void run_parts(std::size_t count, std::size_t size, int threads, F const& f) {
  run_parts(count, size, threads, call_by_address<F>, &f);
}

/// The order in which the totals of the tiles of one call are appended. The thread of a tile
/// publishes its total; whichever waiting thread first sees that it is the next one appends it. So
/// none waits for a thread that has published its total and then lost its processor.
class UPSWEEP_API turns {
 public:
  turns(tickets& of, std::size_t tiles, int threads);
  ~turns();
  turns(turns const&) = delete;
  turns& operator=(turns const&) = delete;

  /// True for the first thread that claims to publish the total of `tile`.
  [[nodiscard]] bool claim(std::size_t tile);
  void publish(std::size_t tile);
  /// The first tile that is not appended.
  [[nodiscard]] std::size_t current() const;

  enum class answer { appended, late, ended };
  static constexpr std::size_t forever = ~std::size_t{0};
  /// Calls append(t) for published tiles, in input order and on one thread at a time, until `tile`
  /// is appended, or until it or an earlier tile has failed: ended. Late, if that takes longer than
  /// `patience` nanoseconds. If append(t) throws, tile t has failed.
  template <class Append>
  [[nodiscard]] answer wait(std::size_t tile, Append const& append,
                            std::size_t patience = forever) {
    return wait(tile, call_by_address<Append>, &append, patience);
  }

 private:
  using append_function = void (*)(void const* by, std::size_t tile);
  answer wait(std::size_t tile, append_function append, void const* by, std::size_t patience);
  void append_published(append_function append, void const* by);

  struct state;
  state* state_;
};

/// Work in parts, two for each worker, of two phases. Each worker begins with its own parts, so
/// that it has the same in every call, and then takes parts that no worker has begun: a worker may
/// never start, or lose its processor.
class UPSWEEP_API shares {
 public:
  explicit shares(int workers);
  ~shares();
  shares(shares const&) = delete;
  shares& operator=(shares const&) = delete;

  [[nodiscard]] int count() const { return each * workers_; }

  /// Calls work(part) for the worker's own parts of the phase (0 or 1), and then for those that
  /// others do not begin within the time that its own have taken: what they read and write is in
  /// their caches.
  template <class Work>
  void run(int phase, int worker, Work const& work) {
    std::size_t const started = threads::nanoseconds();
    int const mine = each * worker;
    for (int part = mine; part < mine + each; ++part)
      if (claim(phase, part)) work(part);
    std::size_t const now = threads::nanoseconds();
    wait_for_owners(phase, now + (now - started));
    for (int i = each; i < count(); ++i)
      if (int const part = (mine + i) % count(); claim(phase, part)) work(part);
  }

  /// The first phase of a part is finished.
  void finish(int part);
  /// Waits until it is.
  void wait_for(int part) const;

 private:
  static constexpr int each = 2;

  /// True for the first worker that claims this part of the phase.
  [[nodiscard]] bool claim(int phase, int part);
  /// Waits until every part of the phase has been begun, or until `end` on the clock.
  void wait_for_owners(int phase, std::size_t end) const;

  struct progress;
  int workers_;
  progress* parts_;
};

/// The tickets, and the published totals of the tiles.
template <class A>
class ticketed_totals : public tickets {
 public:
  explicit ticketed_totals(std::size_t count, int workers = 1)
      : tickets(count, workers), count_(count), totals_(count) {}
  ~ticketed_totals() {
    for (std::size_t tile = 0; tile < count_; ++tile)
      if (is_ready(tile)) totals_[tile].destroy();
  }

  void publish(std::size_t tile, A total) {
    totals_[tile].construct(std::move(total));
    mark_ready(tile);
  }
  /// The total of `tile`, or nullptr when it, or a tile before it, has failed.
  [[nodiscard]] A const* total(std::size_t tile) const {
    return wait(tile) ? &totals_[tile].value() : nullptr;
  }

 private:
  std::size_t count_;
  detail::uninitialized_array<A> totals_;
};

}  // namespace upsweep::host
