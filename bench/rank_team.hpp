/// Ranks that are threads of one process and exchange arrays in memory, for benchmarks of global
/// sums without MPI.
#pragma once

#include <upsweep/c_api/ranks.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ratio>
#include <thread>
#include <vector>

namespace upsweep::bench {

/// Threads that meet, and exchange arrays there.
class rank_team {
 public:
  explicit rank_team(int size) : size_(size), arrays_(static_cast<std::size_t>(size)) {}
  [[nodiscard]] int size() const { return size_; }

  void meet() {
    int const turn = turn_.load();
    if (arrived_.fetch_add(1) + 1 == size_) {
      arrived_.store(0);
      turn_.fetch_add(1);
      return;
    }
    for (int spins = 0; turn_.load(std::memory_order_acquire) == turn; ++spins)
      if (spins > 2000) std::this_thread::yield();
  }
  /// out[i] = the combination of all ranks' in[i].
  template <class T, class Op>
  void all_reduce(int rank, T const* in, T* out, int n, Op op) {
    arrays_[static_cast<std::size_t>(rank)] = in;
    meet();
    std::copy_n(static_cast<T const*>(arrays_[0]), n, out);
    for (std::size_t r = 1; r < arrays_.size(); ++r)
      for (int i = 0; i < n; ++i) out[i] = op(out[i], static_cast<T const*>(arrays_[r])[i]);
    meet();
  }

 private:
  int size_;
  std::atomic<int> arrived_ = 0, turn_ = 0;
  std::vector<void const*> arrays_;
};

struct rank {
  rank_team* all;
  int number;
};
template <class Op>
int reduce_integers(void* context, std::int64_t const* in, std::int64_t* out, int n) {
  auto const& me = *static_cast<rank*>(context);
  me.all->all_reduce(me.number, in, out, n, Op{});
  return 0;
}
struct least_of_two {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::min(a, b); }
};
inline upsweep_ranks ranks_of(rank& me) {
  upsweep_ranks ranks = upsweep_one_rank();
  ranks.context = &me;
  ranks.add = reduce_integers<std::plus<>>;
  ranks.least = reduce_integers<least_of_two>;
  ranks.threads = 1;
  return ranks;
}

inline double us_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
      .count();
}
inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// work(0) on this thread, and work(1), work(2) ... on others.
template <class F>
void on_ranks(int size, F const& work) {
  std::vector<std::thread> others;
  for (int r = 1; r < size; ++r) others.emplace_back(work, r);
  work(0);
  for (auto& each : others) each.join();
}

}  // namespace upsweep::bench
