/// What can be timed: a verb with an operation over elements of one type, and the one call of it
/// that a competitor is asked to make.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

enum class verb { reduce, inclusive_scan, exclusive_scan };
enum class operation { sum, max, affine, exact_sum };
enum class element { i32, i64, f32, f64 };

/// One row of the benchmark. The elements of `affine` are pairs (a, b) of the type, standing for x
/// -> a * x + b.
struct work {
  bench::verb verb = bench::verb::reduce;
  bench::operation op = bench::operation::sum;
  bench::element type = bench::element::f32;
  bool in_place = false;

  bool operator==(work const&) const = default;
};

[[nodiscard]] char const* name_of(verb);
[[nodiscard]] char const* name_of(operation);
[[nodiscard]] char const* name_of(element);

/// The value with this name; throws std::invalid_argument with a sentence that lists the names.
[[nodiscard]] operation operation_named(std::string const& name);
[[nodiscard]] element element_named(std::string const& name);

/// "inclusive_scan sum f32", with ", in place" where it is.
[[nodiscard]] std::string title_of(work const&);

[[nodiscard]] std::size_t bytes_of(element);
/// Bytes of one input element.
[[nodiscard]] std::size_t element_bytes(work const&);
/// Bytes that a call must move at least: the input once, and for a scan the output once.
[[nodiscard]] std::size_t traffic(work const&, std::size_t n);
/// Bytes of memory that a call touches: as traffic, but in place the output is the input.
[[nodiscard]] std::size_t footprint(work const&, std::size_t n);

/// n elements at `in`; scans write n elements to `out`, reductions one value. In place, in == out.
/// `threads` >= 1.
struct call {
  void const* in = nullptr;
  void* out = nullptr;
  std::size_t n = 0;
  int threads = 1;
};

/// Makes the call `repeats` times, back to back.
using run_function = void (*)(call const&, std::size_t repeats);

/// What a peer library brings. Plain data, because it crosses the border of a module that is loaded
/// at run time.
struct peer {
  char const* name;   ///< "tbb", the argument of --peers
  char const* title;  ///< "oneTBB"
  bool spins;         ///< its threads stay busy for some milliseconds after a call
  run_function (*find)(work const& what);  ///< null where the peer has nothing for this work
};
struct peer_list {
  peer const* first;
  std::size_t size;
};

/// The module's only entry: its peers, limited to `threads` threads each.
using peers_function = peer_list (*)(int threads);
inline constexpr char const* peers_entry = "upsweep_bench_peers";

/// The compiler may keep nothing of `x` in registers and must believe that it was read and written.
inline void touch(void const* x) {
  asm volatile("" : : "r"(x) : "memory");
}

}  // namespace upsweep::bench
