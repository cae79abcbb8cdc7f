/// The thread pool, behind one function, and how many threads a call uses.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>

namespace upsweep::host::threads {

/// How many threads a call from this thread may keep busy now: the smaller of the thread's CPU
/// affinity and its cgroup's CPU quota (rounded up; read again after a second), at least 1.
[[nodiscard]] UPSWEEP_API int available();

/// The CPUs that this process's cgroups allow it by quota, as a fraction such as 1.5; infinity
/// without a quota.
[[nodiscard]] UPSWEEP_API double quota();

/// The most threads of one call; who requests more gets as many.
inline constexpr int most = 1024;

/// How many threads a call made here with `requested` (0: all available) may use. 1 inside a
/// running call (nested calls are serial), and in a forked child, which has none of its parent's
/// threads.
[[nodiscard]] UPSWEEP_API int usable(int requested);

/// The bytes of the cache that a processor shares with no other (its second level); 1 MiB where the
/// system does not say.
[[nodiscard]] UPSWEEP_API std::size_t own_cache_bytes();

/// Tests lower it so that small inputs start threads too.
UPSWEEP_API extern std::size_t largest_cutoff;

/// Throws precondition_error.
[[noreturn]] UPSWEEP_API void refuse(int requested);

/// How many threads a call over n elements uses: one below `cutoff` elements, where waking others
/// would take longer, then at most one for each `share` of them, which is at most half the cutoff.
[[nodiscard]] inline int team_size(std::size_t n, std::size_t cutoff, int requested,
                                   std::size_t share = ~std::size_t{0}) {
  if (requested < 0) refuse(requested);
  if (cutoff > largest_cutoff) cutoff = largest_cutoff;
  if (n < cutoff) return 1;
  if (share > cutoff / 2) share = cutoff / 2;
  std::size_t const worth_waking = share == 0 ? n : n / share;
  int const count = usable(requested);
  return worth_waking < static_cast<std::size_t>(count) ? static_cast<int>(worth_waking) : count;
}

/// Calls work(context, w) for w = 0 on this thread, and once for each w in [1, count) on another as
/// far as threads are free before worker 0 returns; returns when all have returned. Threads are
/// started at the first call that needs them and kept; where the system refuses more, those that
/// there are do the work, worker 0 alone if need be. So nobody may wait for a worker that has not
/// started, and worker 0 has to leave nothing undone. `work` must not throw.
UPSWEEP_API void run(int count, void (*work)(void* context, int worker) noexcept, void* context);

template <class F>
void run(int count, F& f) {
  run(count, [](void* context, int worker) noexcept { (*static_cast<F*>(context))(worker); }, &f);
}

/// Gives the processor a rest inside a waiting loop; `turn` counts the turns so far.
UPSWEEP_API void pause(int turn);

}  // namespace upsweep::host::threads
