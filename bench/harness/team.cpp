/// Passes jobs to spinning threads.
#include <bench/harness/team.hpp>

#include <algorithm>

namespace upsweep::bench {
namespace {

/// One iteration of a waiting loop. Yields the core after some microseconds, in case another member
/// needs it.
void pause(int turn) {
  if (turn % 256 == 255) {
    std::this_thread::yield();
    return;
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

constexpr int spins_before_sleep = 1000;  // about 15 µs; then the next competitor needs the CPU

}  // namespace

team::team(int threads) {
  for (int member = 1; member < threads; ++member)
    members_.emplace_back([this, member] { serve(member); });
}

team::~team() {
  over_ = true;
  job_.fetch_add(1, std::memory_order_release);
  job_.notify_all();
  for (auto& member : members_) member.join();
}

void team::run(void (*work)(void const*, int), void const* context) {
  if (members_.empty()) return work(context, 0);
  work_ = work;
  context_ = context;
  busy_.store(static_cast<int>(members_.size()), std::memory_order_relaxed);
  job_.fetch_add(1, std::memory_order_release);
  job_.notify_all();
  work(context, 0);
  for (int turn = 0; busy_.load(std::memory_order_acquire) != 0; turn = (turn + 1) % 256)
    pause(turn);
}

void team::serve(int member) {
  for (unsigned seen = 0;;) {
    int spins = 0;
    while (job_.load(std::memory_order_acquire) == seen) {
      if (++spins < spins_before_sleep)
        pause(spins);
      else
        job_.wait(seen, std::memory_order_acquire);
    }
    ++seen;
    if (over_) return;
    work_(context_, member);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

std::pair<std::size_t, std::size_t> share(std::size_t n, int member, int members,
                                          std::size_t grain) {
  std::size_t const grains = (n + grain - 1) / grain;
  auto cut = [&](int m) {
    return std::min(
        n, grains * static_cast<std::size_t>(m) / static_cast<std::size_t>(members) * grain);
  };
  return {cut(member), cut(member + 1)};
}

}  // namespace upsweep::bench
