/// The participants of a measurement, on any device.
#pragma once

#include <bench/harness/slots.hpp>
#include <bench/harness/work.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace upsweep::bench {

enum class role { upsweep, peer, limit };
[[nodiscard]] char const* name_of(role);

/// Makes a call `repeats` times on memory from the slots, and returns the total time in seconds by
/// the clock of its device.
using timed_run = std::function<double(slots& memory, std::size_t repeats)>;

/// An implementation that is measured.
struct competitor {
  std::string name;   ///< "tbb"
  std::string title;  ///< "oneTBB"
  bench::role role = bench::role::peer;
  bool spins =
      false;  ///< its threads spin after a call: wait until they sleep before timing others
  /// Returns how to do this work on n elements; empty if the competitor cannot.
  std::function<timed_run(work const&, std::size_t n)> find{};
  /// The checksum of the last result, for a competitor in another process; usually empty, and then
  /// the output is read.
  std::function<std::uint64_t()> own_checksum{};
  /// It combines in another order than the combine tree: of operators that round, its results are
  /// compared with a tolerance.
  bool reorders = false;
  int threads = 0;  ///< of its own, in a comparison of numbers of threads
};

/// A requested competitor that is not available, and why.
struct absence {
  std::string name;
  std::string reason;
};

/// One call on the processor: n elements at `in`; scans write n elements to `out`, reductions one
/// value. In place, in == out. `threads` >= 1.
struct call {
  void const* in = nullptr;
  void* out = nullptr;
  std::size_t n = 0;
  int threads = 1;
};

/// Makes the call `repeats` times, back to back.
using run_function = void (*)(call const&, std::size_t repeats);

/// Calls on the processor, by the host's clock. All repeats use one slot: calls that are short
/// enough to be repeated are measured with warm caches.
[[nodiscard]] timed_run timed(std::function<void(call const&, std::size_t repeats)> run,
                              std::size_t n, int threads);

/// A compiler barrier: the memory at `x` counts as read and written.
inline void touch(void const* x) {
  asm volatile("" : : "r"(x) : "memory");
}

/// Runs `once` the given number of times and prevents the compiler from merging or removing runs.
template <class F>
void repeat(call const& c, std::size_t repeats, F once) {
  for (std::size_t r = 0; r < repeats; ++r) {
    touch(c.in);
    once();
    touch(c.out);
  }
}

/// A peer library on the processor. Plain data, because a module that is loaded at run time passes
/// it.
struct peer {
  char const* name;                        ///< "tbb", the argument of --peers
  char const* title;                       ///< "oneTBB"
  bool spins;                              ///< as in competitor
  run_function (*find)(work const& what);  ///< returns null if the peer cannot do this work
};
struct peer_list {
  peer const* first;
  std::size_t size;
};

/// The module's only entry point: its peers, limited to `threads` threads each.
using peers_function = peer_list (*)(int threads);
inline constexpr char const* peers_entry = "upsweep_bench_peers";

}  // namespace upsweep::bench
