/// Threads of one process as ranks: for tests, and to try on a laptop what will run on a cluster.
#pragma once

#include <upsweep/ranks.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace upsweep {

/// One rank of a group of threads.
class loopback {
 public:
  /// Calls f(communicator) on `size` threads, one a rank, and returns when all have ended. Throws
  /// what the first of them, in their order, has thrown.
  template <class F>
  static void run(int size, F const& f) {
    detail::expects(size > 0, "loopback: there must be a rank");
    auto const all = std::make_shared<group>(size);
    std::vector<std::exception_ptr> thrown(static_cast<std::size_t>(size));
    {
      std::vector<std::jthread> threads;
      for (int rank = 0; rank < size; ++rank)
        threads.emplace_back([&, rank] {
          try {
            f(loopback(all, rank));
          } catch (...) {
            thrown[static_cast<std::size_t>(rank)] = std::current_exception();
          }
        });
    }
    for (auto const& e : thrown)
      if (e) std::rethrow_exception(e);
  }

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return all_->size; }

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
  /// The messages on their way, by sender and receiver.
  struct group {
    int size;
    std::mutex mutex{};
    std::condition_variable arrived{};
    std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages{};

    explicit group(int ranks) : size(ranks) {}
    void send(int from, int to, std::vector<std::byte> const& bytes) {
      std::scoped_lock const lock(mutex);
      messages[{from, to}].push_back(bytes);
      arrived.notify_all();
    }
    std::vector<std::byte> receive(int from, int to) {
      std::unique_lock lock(mutex);
      auto& queue = messages[{from, to}];
      arrived.wait(lock, [&] { return !queue.empty(); });
      auto first = std::move(queue.front());
      queue.pop_front();
      return first;
    }
  };

  loopback(std::shared_ptr<group> all, int rank) : all_(std::move(all)), rank_(rank) {}

  std::shared_ptr<group> all_;
  int rank_;
};

}  // namespace upsweep
