/// How several threads share the tiles of one call: tickets in input order, totals published as
/// they come, the first failure wins.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/threads.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace upsweep::host {

/// The tickets of one parallel call over the tiles [0, count). Tiles are handed out in order, and a
/// thread publishes its tile's total before it waits for those of earlier tiles; so the earliest
/// tile in flight never waits, and nothing depends on how many threads really run.
///
/// When tiles fail, the lowest of them is always reached (its ticket came before any later one's),
/// so the exception that leaves is the first in input order, whatever the timing.
class UPSWEEP_API tickets {
 public:
  explicit tickets(std::size_t count);
  ~tickets();
  tickets(tickets const&) = delete;
  tickets& operator=(tickets const&) = delete;

  /// The next tile, or nothing when all are taken or an earlier one has failed.
  [[nodiscard]] std::optional<std::size_t> take();

  void mark_ready(std::size_t tile);
  [[nodiscard]] bool is_ready(std::size_t tile) const;
  /// Until `tile` is ready: true; or until it or an earlier tile has failed: false.
  [[nodiscard]] bool wait(std::size_t tile) const;

  /// Called from a catch block by the thread that has taken `tile`: keeps the current exception if
  /// no earlier tile has failed.
  void fail(std::size_t tile) noexcept;
  /// Throws what fail() has kept, if anything. Called when all threads are done.
  void rethrow() const;

 private:
  struct state;
  state* state_;  // threads and atomics stay out of this header, which every user of an own
                  // operator compiles
};

/// Work in `count` parts for workers that begin with the part of their own number, so that it is
/// theirs from call to call, and then take what nobody has begun: a worker may never start.
class UPSWEEP_API shares {
 public:
  explicit shares(int count);
  ~shares();
  shares(shares const&) = delete;
  shares& operator=(shares const&) = delete;

  /// True for the first who asks for this part of the phase (0 or 1).
  [[nodiscard]] bool claim(int phase, int part);
  void finish_first_phase();
  /// Until every part of the first phase has been finished.
  void wait_for_first_phase() const;

 private:
  struct state;
  state* state_;
};

/// The tickets, and the totals that the tiles publish.
template <class A>
class ticketed_totals : public tickets {
 public:
  explicit ticketed_totals(std::size_t count) : tickets(count), count_(count), totals_(count) {}
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
