/// A team of threads that is already awake when work comes: what the limits run on, so that no
/// limit pays for waking threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::bench {

/// Members spin for about a millisecond after a job and then sleep, so that they do not disturb
/// whoever is timed next for long.
class team {
 public:
  /// `threads` >= 1 members, of which the caller of run() is member 0.
  explicit team(int threads);
  ~team();
  team(team const&) = delete;
  team& operator=(team const&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(members_.size()) + 1; }

  /// Calls work(context, member) once on every member; returns when all have returned. `work` must
  /// not throw.
  void run(void (*work)(void const* context, int member), void const* context);

  template <class F>
  void run(F const& f) {
    run([](void const* context, int member) { (*static_cast<F const*>(context))(member); }, &f);
  }

 private:
  void serve(int member);

  std::vector<std::thread> members_;
  alignas(64) std::atomic<unsigned> job_{0};  // counts jobs; members wait for it to change
  alignas(64) std::atomic<int> busy_{0};
  void (*work_)(void const*, int) = nullptr;
  void const* context_ = nullptr;
  bool over_ = false;
};

/// The half-open share of [0, n) of one member, cut at multiples of `grain`.
[[nodiscard]] std::pair<std::size_t, std::size_t> share(std::size_t n, int member, int members,
                                                        std::size_t grain);

}  // namespace upsweep::bench
