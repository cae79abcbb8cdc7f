/// The thread pool: a call claims idle threads and gives them back when it ends. And how many
/// processors a call may use: CPU affinity and the quotas of cgroups.
#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/host/thread_sanitizer.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/system/system.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <string>

namespace upsweep::host::threads {
namespace {

thread_local int team_here = 0;         // the threads of a nested call; 0 outside of calls
constexpr int first_yield = 512;        // pause() yields from this turn on, after up to 20 us,
constexpr int first_sleep = 712;        // and sleeps from this one on
std::atomic<bool> forked_child{false};  // a forked child has none of its parent's threads

struct worker;

/// One call of run(), on the stack of its caller.
struct team {
  void (*work)(void*, int) noexcept;
  void* context;
  system::affinity processors;  // the caller's, for its workers; empty if it is not known
  std::atomic<worker*> sleepers{nullptr};  // still to be woken
};

/// awake: idle, and spinning for work for a moment. asleep: idle, waiting on the atomic. offered:
/// claimed by a call. working: inside the call. The worker takes offers, falls asleep and returns
/// to awake; the call that has claimed it makes all other transitions.
enum state : int { awake, asleep, offered, working };

/// A thread of the pool. It is never destroyed.
struct alignas(128) worker {
  std::atomic<int> now{awake};
  team* of = nullptr;              // that it is offered
  int number = 0;                  // in that team
  bool slept = false;              // when that was offered
  std::atomic<bool> woken{false};  // since then
  worker* next = nullptr;
  worker* next_sleeper = nullptr;
};

/// A waiting loop spins before it sleeps, because waking a thread takes several microseconds.
class patience {
 public:
  /// False when it is time to sleep.
  [[nodiscard]] bool lasts() {
    (void)pause(std::min(turn_++, first_yield));
    if (turn_ % 32 != 0) return true;
    auto const now = clock::now();
    if (turn_ == 32) end_ = now + std::chrono::microseconds(100);
    return now < end_;
  }

 private:
  using clock = std::chrono::steady_clock;
  int turn_ = 0;
  clock::time_point end_;
};

/// The idle threads. The pool is never destroyed, because threads may still use it when static
/// objects are destroyed. A call allocates only if it starts threads.
class pool {
 public:
  void start(int count) {
    system::locked const lock(mutex_);
    grow(count - 1);
  }
  void run(team& t, int count) {
    worker* const mine = claim(count - 1);
    offer(mine, t);
    wake_two(t);
    work(t, 0);
    t.sleepers.store(nullptr, std::memory_order_relaxed);
    for (worker* w = mine; w; w = w->next) withdraw(*w);
    give_back(mine);
  }

 private:
  /// Up to `wanted` idle threads, linked by `next`.
  worker* claim(int wanted) {
    system::locked const lock(mutex_);
    grow(wanted);
    worker* claimed = nullptr;
    for (; wanted > 0 && idle_; --wanted) move_first(idle_, claimed);
    return claimed;
  }
  void give_back(worker* claimed) {
    system::locked const lock(mutex_);
    while (claimed) move_first(claimed, idle_);
  }
  static void move_first(worker*& from, worker*& to) {
    worker* const w = from;
    from = w->next;
    w->next = to;
    to = w;
  }

  /// Starts threads until there are `wanted`. If the system allows no more, the call uses the
  /// existing ones; the next call tries again.
  void grow(int wanted) {
    for (; threads_ < wanted; ++threads_) {
      std::unique_ptr<worker> w(new (std::nothrow) worker);
      if (!w || !system::start_thread(serve, w.get())) return;
      w->next = idle_;
      idle_ = w.release();
    }
  }

  static void offer(worker* claimed, team& t) {
    worker* sleepers = nullptr;
    int number = 0;
    for (worker* w = claimed; w; w = w->next) {
      w->of = &t;
      w->number = ++number;
      w->woken.store(false, std::memory_order_relaxed);
      thread_sanitizer::release(&w->now);
      w->slept = w->now.exchange(offered, std::memory_order_acq_rel) == asleep;
      if (!w->slept) continue;
      w->next_sleeper = sleepers;
      sleepers = w;
    }
    t.sleepers.store(sleepers, std::memory_order_release);
  }

  /// Every worker wakes two others, so a team wakes in logarithmic and not in linear time.
  static void wake_two(team& t) {
    for (int i = 0; i < 2; ++i) {
      worker* w = t.sleepers.load(std::memory_order_acquire);
      while (w &&
             !t.sleepers.compare_exchange_weak(w, w->next_sleeper, std::memory_order_acq_rel)) {
      }
      if (!w) return;
      w->woken.store(true, std::memory_order_release);
      w->now.notify_one();
    }
  }

  /// Withdraws the offer, or waits until the worker has finished. A worker that wakes too late
  /// stays awake for the next call; otherwise it would be too late for each of many short ones.
  static void withdraw(worker& w) {
    bool const sleeps = w.slept && !w.woken.load(std::memory_order_acquire);
    if (int now = offered;
        w.now.compare_exchange_strong(now, sleeps ? asleep : awake, std::memory_order_acq_rel))
      return;
    for (patience p; w.now.load(std::memory_order_acquire) == working;)
      if (!p.lasts()) w.now.wait(working, std::memory_order_acquire);
    thread_sanitizer::acquire(&w.now);
  }

  static void work(team& t, int number) {
    inside_call const nested;
    detail::float_environment const ieee;
    t.work(t.context, number);
  }

  /// Returns when the worker has taken an offer.
  static void wait_for_offer(worker& w) {
    for (patience p;;) {
      int now = w.now.load(std::memory_order_relaxed);
      if (now == offered &&
          w.now.compare_exchange_strong(now, working, std::memory_order_acq_rel)) {
        thread_sanitizer::acquire(&w.now);
        return;
      }
      if (now == asleep) {
        w.now.wait(asleep, std::memory_order_relaxed);
        p = {};
      } else if (now == awake && !p.lasts()) {
        w.now.compare_exchange_strong(now, asleep, std::memory_order_acq_rel);
      }
    }
  }

  [[noreturn]] static void serve(void* it) noexcept {
    worker& w = *static_cast<worker*>(it);
    system::name_this_thread("upsweep");
    system::affinity mine;
    while (true) {
      wait_for_offer(w);
      team& t = *w.of;
      wake_two(t);
      if (mine != t.processors && t.processors.count() > 0) {
        mine = t.processors;
        mine.restrict_this_thread();
      }
      work(t, w.number);
      thread_sanitizer::release(&w.now);
      w.now.store(awake, std::memory_order_release);
      w.now.notify_one();  // the caller may be waiting
    }
  }

  system::mutex mutex_;
  worker* idle_ = nullptr;  // most recently used first, so that the same few stay warm
  int threads_ = 0;
};

pool& the_pool() {
  static pool& it = [&]() -> pool& {
    system::in_forked_children([] { forked_child = true; });
    pool* const made = new pool;
    thread_sanitizer::release(made);
    return *made;
  }();
  thread_sanitizer::acquire(&it);
  return it;
}

/// The quota changes rarely and is read from files, so it is read at most once a second.
double recent_quota() {
  using clock = std::chrono::steady_clock;
  static std::atomic<double> quota{0};
  static std::atomic<clock::rep> due{std::numeric_limits<clock::rep>::min()};
  clock::time_point const now = clock::now();
  if (now.time_since_epoch().count() >= due.load(std::memory_order_acquire)) {
    quota.store(threads::quota(), std::memory_order_relaxed);
    due.store((now + std::chrono::seconds(1)).time_since_epoch().count(),
              std::memory_order_release);
  }
  return quota.load(std::memory_order_relaxed);
}

}  // namespace

double quota(char const* membership, char const* root) {
  return system::cgroup_quota(membership, root);
}

std::size_t own_cache_bytes() {
  static std::size_t const bytes = [] {
    std::size_t const known = system::own_cache_bytes();
    return known > 0 ? known : std::size_t{1} << 20;
  }();
  return bytes;
}

int available() {
  int const known = system::affinity::of_this_thread().count(),
            processors = known > 0 ? known : system::processor_count();
  double const quota = std::ceil(recent_quota());
  return std::max(1, quota < processors ? static_cast<int>(quota) : processors);
}

inside_call::inside_call(int team) noexcept : before_(team_here) {
  team_here = team;
}
inside_call::~inside_call() {
  team_here = before_;
}

std::size_t nanoseconds() {
  auto const now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::size_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::size_t largest_cutoff = std::numeric_limits<std::size_t>::max();

int usable(int requested) {
  if (team_here == 1 || forked_child.load(std::memory_order_relaxed)) return 1;
  int const count = requested > 0 ? std::min(requested, most) : available();
  return team_here == 0 ? count : std::min(count, team_here);
}

void run(int count, void (*work)(void*, int) noexcept, void* context) {
  team t{work, context, system::affinity::of_this_thread()};
  the_pool().run(t, count);
}

void start(int count) {
  the_pool().start(count);
}

void refuse(int requested) {
  std::string const sentence = "cpu: .threads is " + std::to_string(requested) +
                               "; give 0 for all available CPUs, or a positive number of threads";
  detail::fail(sentence.c_str());
}

bool pause(int turn) {
  if (turn >= first_sleep) {
    system::sleep(20);
  } else if (turn >= first_yield) {
    system::yield();
  } else {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return turn >= first_sleep;
}

}  // namespace upsweep::host::threads
