/// The thread pool, used through one function, and how many threads a call uses.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host::threads {

/// How many threads a call from this thread may keep busy now: the smaller of the number of CPUs in
/// its affinity mask and its cgroup's CPU quota (rounded up; read again after a second), at least
/// 1.
[[nodiscard]] UPSWEEP_API int available();

/// The smallest CPU quota of the cgroups in the file `membership`, by default this process's, and
/// their ancestors. It may be fractional such as 1.5; infinity without a quota.
[[nodiscard]] UPSWEEP_API double quota(char const* membership = "/proc/self/cgroup",
                                       char const* root = "/sys/fs/cgroup");

/// The most threads of one call; larger requests are reduced to this.
inline constexpr int most = 1024;

/// How many threads a call from this thread with `requested` threads (0: all available) may use. 1
/// inside a parallel call (nested calls are serial), or as many as the thread has a team of there;
/// 1 in a forked child, which has none of its parent's threads.
[[nodiscard]] UPSWEEP_API int usable(int requested);

/// The bytes of a processor's private cache (L2); 1 MiB if the system does not report it.
[[nodiscard]] UPSWEEP_API std::size_t own_cache_bytes();

/// The upper bound of all cutoffs. Tests lower it so that small inputs start threads too.
UPSWEEP_API extern std::size_t largest_cutoff;

/// Throws precondition_error for a negative number of threads.
[[noreturn]] UPSWEEP_API void refuse(int requested);

/// How many threads a call over n elements uses: one for less than `cutoff` elements, where waking
/// others would take longer; otherwise at most one for each `share` elements, by default half the
/// cutoff.
[[nodiscard]] inline int team_size(std::size_t n, std::size_t cutoff, int requested,
                                   std::size_t share = ~std::size_t{0}) {
  if (requested < 0) refuse(requested);
  bool const is_lowered = cutoff > largest_cutoff;
  if (is_lowered) cutoff = largest_cutoff;
  if (n < cutoff) return 1;
  if (share == ~std::size_t{0} || (is_lowered && share > cutoff / 2)) share = cutoff / 2;
  std::size_t const worth_waking = share == 0 ? n : n / share;
  int const count = usable(requested);
  return worth_waking < static_cast<std::size_t>(count) ? static_cast<int>(worth_waking) : count;
}

/// Calls work(context, 0) on this thread, and work(context, w) for w in [1, count) on pool threads
/// that become free before worker 0 returns. Returns when all calls have returned. Threads are
/// started at the first call that needs them and kept. If the system refuses more, there are fewer
/// workers, perhaps only worker 0. So no worker may wait for one that has not started, and worker 0
/// must be able to finish all work alone. `work` must not throw.
UPSWEEP_API void run(int count, void (*work)(void* context, int worker) noexcept, void* context);

template <class F>
void work_of(void* context, int worker) noexcept {
  (*static_cast<F*>(context))(worker);
}
template <class F>
void run(int count, F& f) {
  run(count, work_of<F>, &f);
}

/// Starts the threads of a call with `count` workers, for calls that divide them into teams.
UPSWEEP_API void start(int count);

/// While it exists, calls from its thread are nested calls, which use at most `team` threads.
class UPSWEEP_API inside_call {
 public:
  explicit inside_call(int team = 1) noexcept;
  ~inside_call();
  inside_call(inside_call const&) = delete;
  inside_call& operator=(inside_call const&) = delete;

 private:
  int before_;
};

/// Nanoseconds of a clock that does not stop.
[[nodiscard]] UPSWEEP_API std::size_t nanoseconds();

/// Pauses in a waiting loop: first a pause instruction, after 512 turns a yield, after 712 a sleep
/// of 20 us, after which it returns true. `turn` is the number of turns so far. A thread that only
/// yields can keep another from its processor until the next tick, 4 ms later.
UPSWEEP_API bool pause(int turn);

}  // namespace upsweep::host::threads
