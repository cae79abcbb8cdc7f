/// A team of threads that are awake when work arrives, so that the limits do not include the time
/// to wake threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::bench {

/// Members spin for a short time after a job and then sleep, so that they hardly disturb the next
/// competitor.
class team {
 public:
  /// A team of `threads` >= 1 members; the caller of run() is member 0.
  explicit team(int threads);
  ~team();
  team(team const&) = delete;
  team& operator=(team const&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(members_.size()) + 1; }

  /// Calls work(context, member) once on every member and returns when all are done. `work` must
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

/// The half-open range of [0, n) for one member. Ranges begin at multiples of `grain`.
[[nodiscard]] std::pair<std::size_t, std::size_t> share(std::size_t n, int member, int members,
                                                        std::size_t grain);

}  // namespace upsweep::bench
