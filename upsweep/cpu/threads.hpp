/// The thread pool, behind one function. Which pool it is (oneTBB) is known to threads.cpp only.
#pragma once

namespace upsweep::threads {

/// How many threads this process may keep busy: the smaller of its CPU affinity and its cgroup's CPU quota (rounded up), at
/// least 1.
[[nodiscard]] int available();

/// The CPUs that this process's cgroups allow it by quota, as a fraction such as 1.5; infinity without a quota.
[[nodiscard]] double quota();

/// How many threads a call made here with `requested` (0: all available) may use. 1 inside a running call (nested calls are
/// serial), in a forked child whose parent already had a pool, and once the program is being torn down.
[[nodiscard]] int usable(int requested);

/// Calls work(context, w) once for each w in [0, count), several at a time where threads are free; returns when all have returned.
/// Nobody may wait for a w that has not started. `work` must not throw.
void run(int count, void (*work)(void* context, int worker) noexcept, void* context);

template <class F>
void run(int count, F& f) {
  run(
      count, [](void* context, int worker) noexcept { (*static_cast<F*>(context))(worker); }, &f);
}

/// Gives the processor a rest inside a waiting loop; `turn` counts the turns so far.
void pause(int turn);

}  // namespace upsweep::threads
