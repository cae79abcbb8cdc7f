/// Threads of one process as ranks: for tests, and to try on a laptop what will run on a cluster.
#pragma once

#include <upsweep/ranks.hpp>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep {

/// One rank of a group of threads.
class loopback {
 public:
  /// Calls f(communicator) on `size` threads, one a rank, and returns when all have ended. Throws
  /// what the first of them, in their order, has thrown; those that wait for it are ended.
  template <class F>
  static void run(int size, F const& f) {
    detail::expects(size > 0, "loopback: there must be a rank");
    auto const all = std::make_shared<group>(static_cast<std::size_t>(size));
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
    {
      std::vector<std::jthread> threads;
      try {
        for (int rank = 0; rank < size; ++rank)
          threads.emplace_back([&, rank] {
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
  [[nodiscard]] int size() const { return static_cast<int>(all_->boxes.size()); }

  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    all_->send(rank_, other, bytes);
    return all_->receive(other, rank_);
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    if (rank_ == other)
      for (int to = 0; to < size(); ++to) all_->send(rank_, to, bytes);
    return all_->receive(other, rank_);
  }

 private:
  /// Ends a rank that waits for one which an exception has ended.
  struct left : error {
    left() : error("loopback: another rank has ended with an exception") {}
  };
  /// The messages to a rank, by sender.
  struct box {
    std::mutex mutex{};
    std::condition_variable arrived{};
    std::map<int, std::deque<std::vector<std::byte>>> from{};
    bool closed = false;
  };
  struct group {
    std::vector<box> boxes;

    explicit group(std::size_t ranks) : boxes(ranks) {}
    void send(int from, int to, std::vector<std::byte> const& bytes) {
      box& b = boxes[static_cast<std::size_t>(to)];
      std::scoped_lock const lock(b.mutex);
      b.from[from].push_back(bytes);
      b.arrived.notify_one();
    }
    std::vector<std::byte> receive(int from, int to) {
      box& b = boxes[static_cast<std::size_t>(to)];
      std::unique_lock lock(b.mutex);
      auto& queue = b.from[from];
      b.arrived.wait(lock, [&] { return !queue.empty() || b.closed; });
      if (queue.empty()) throw left();
      auto first = std::move(queue.front());
      queue.pop_front();
      return first;
    }
    void leave() {
      for (box& b : boxes) {
        std::scoped_lock const lock(b.mutex);
        b.closed = true;
        b.arrived.notify_one();
      }
    }
  };

  loopback(std::shared_ptr<group> all, int rank) : all_(std::move(all)), rank_(rank) {}

  std::shared_ptr<group> all_;
  int rank_;
};

}  // namespace upsweep
