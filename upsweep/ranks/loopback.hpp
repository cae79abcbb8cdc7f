/// Threads of one process as ranks: for tests, and to try on a laptop what will run on a cluster.
#pragma once

#include <upsweep/ranks.hpp>

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep {

/// One rank of a group of threads, for tests of code for ranks.
class loopback {
 public:
  /// Calls f(communicator) on `size` threads, one per rank, and returns when all have ended. Throws
  /// the exception of the lowest rank that has thrown; ranks that wait for it end.
  template <class F>
  static void run(int size, F const& f) {
    detail::expects(size > 0, "loopback: give at least one rank");
    auto const all = std::make_shared<group>(static_cast<std::size_t>(size));
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
    {
      joined_threads ranks;
      try {
        for (int rank = 0; rank < size; ++rank)
          ranks.threads.emplace_back([&, rank] {
            try {
              f(loopback(all, rank));
            } catch (left const&) {
            } catch (...) {
              thrown[static_cast<std::size_t>(rank)] = std::current_exception();
              all->leave();
            }
          });
      } catch (...) {  // there are no more threads: those that are there would wait for them
        all->leave();
        throw;
      }
    }
    for (auto const& e : thrown)
      if (e) std::rethrow_exception(e);
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return static_cast<int>(all_->places.size()); }

  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    std::unique_lock lock(all_->mutex);
    given const mine(*all_, rank_, {.bytes = &bytes, .to = other, .readers = 1});
    all_->at(other).changed.notify_one();
    auto received = all_->take(lock, other, rank_);
    mine.wait(lock);
    return std::move(received).content();
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    std::unique_lock lock(all_->mutex);
    if (rank_ != other) return all_->take(lock, other, rank_).content();
    given const mine(*all_, rank_,
                     {.bytes = &bytes, .readers = size() - 1, .number = ++all_->broadcasts});
    for (place& each : all_->places) each.changed.notify_one();
    mine.wait(lock);
    return bytes;
  }

 private:
  /// As of std::jthread, which libc++ 19 has as an experiment only.
  struct joined_threads {
    std::vector<std::thread> threads;
    ~joined_threads() {
      for (std::thread& each : threads) each.join();
    }
  };
  /// Ends a rank that waits for one which an exception has ended.
  struct left : error {
    left() : error("loopback: another rank ended with an exception") {}
  };
  /// What a rank gives, in its memory, until the readers have it.
  struct letter {
    std::vector<std::byte> const* bytes = nullptr;
    int to = 0;  ///< of an exchange
    int readers = 0;
    std::size_t number = 0;  ///< of a broadcast, from 1
  };
  /// A rank, with the letter that it gives.
  struct place {
    std::condition_variable changed{};
    letter* gives = nullptr;
    std::size_t seen = 0;  ///< the number of the last broadcast that it has read
  };
  /// A copy of what was given, if there was memory for it.
  struct copied {
    std::vector<std::byte> bytes{};
    bool is_lost = false;

    [[nodiscard]] std::vector<std::byte> content() && {
      if (is_lost) throw std::bad_alloc();
      return std::move(bytes);
    }
  };
  struct group {
    std::mutex mutex{};
    std::vector<place> places;
    std::size_t broadcasts = 0;
    bool closed = false;

    explicit group(std::size_t ranks) : places(ranks) {}
    place& at(int rank) { return places[static_cast<std::size_t>(rank)]; }

    /// What rank `from` gives to rank `to`.
    copied take(std::unique_lock<std::mutex>& lock, int from, int to) {
      place &giver = at(from), &reader = at(to);
      auto const is_there = [&] {
        letter const* const l = giver.gives;
        return l && l->readers > 0 && (l->number == 0 ? l->to == to : l->number > reader.seen);
      };
      reader.changed.wait(lock, [&] { return is_there() || closed; });
      if (!is_there()) throw left();
      copied all;
      try {
        all.bytes = *giver.gives->bytes;
      } catch (std::bad_alloc const&) {
        all.is_lost = true;
      }
      if (giver.gives->number > 0) reader.seen = giver.gives->number;
      if (--giver.gives->readers == 0) giver.changed.notify_one();
      return all;
    }
    void leave() {
      std::scoped_lock const lock(mutex);
      closed = true;
      for (place& each : places) each.changed.notify_one();
    }
  };
  /// Gives a letter, until the end of the scope.
  class given {
   public:
    given(group& all, int rank, letter const& l) : all_(all), place_(all.at(rank)), letter_(l) {
      place_.gives = &letter_;
    }
    ~given() { place_.gives = nullptr; }
    given(given const&) = delete;
    given& operator=(given const&) = delete;

    /// Until all have read it.
    void wait(std::unique_lock<std::mutex>& lock) const {
      place_.changed.wait(lock, [&] { return letter_.readers == 0 || all_.closed; });
      if (letter_.readers > 0) throw left();
    }

   private:
    group& all_;
    place& place_;
    letter letter_;
  };

  loopback(std::shared_ptr<group> all, int rank) : all_(std::move(all)), rank_(rank) {}

  std::shared_ptr<group> all_;
  int rank_;
};

}  // namespace upsweep
