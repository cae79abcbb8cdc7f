/// A call on the CPU, and the peers that make it: plain data, because a module that is loaded
/// at run time passes it.
#pragma once

#include <bench/rows/work.hpp>
#include <upsweep/core/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep {

struct cuda_plans;

}  // namespace upsweep

namespace upsweep::bench {

/// The memory of one call; a member that it does not use is null or zero.
struct call {
  std::size_t n = 0;                     ///< elements
  void const* in = nullptr;              ///< the elements, or a text
  std::uint32_t const* keys = nullptr;   ///< n keys in runs, weights, or flags of a byte each
  std::size_t const* offsets = nullptr;  ///< parts + 1 borders of segments
  double const* levels = nullptr;        ///< parts + 1 borders of bins
  std::size_t parts = 0;  ///< segments, bins, or the width of windows or of padded rows
  /// Elements below it are selected; even bins lie between 0 and it.
  double level = 0;
  /// The results: scans write n of them, reductions one. A scan in place has out == in; other verbs
  /// in place find there what `in` and `keys` hold. A call of a verb may point `out` elsewhere. The
  /// third part of a partition lies in `more` after room for n.
  void *out = nullptr, *more = nullptr;
  std::size_t count = 0;  ///< how many results there are, stored by the calls of `bench verbs`
  int threads = 1;
  cuda_plans* plans = nullptr;  ///< of a call on a GPU: where its plans go, instead of running it
};

template <class T>
[[nodiscard]] T const* input(call const& c) {
  return static_cast<T const*>(c.in);
}
template <class T>
[[nodiscard]] T* output(call const& c) {
  return static_cast<T*>(c.out);
}
template <class T>
[[nodiscard]] std::span<T const> elements_in(call const& c) {
  return {input<T>(c), c.n};
}
[[nodiscard]] inline std::span<std::uint32_t const> keys_in(call const& c) {
  return {c.keys, c.n};
}
/// The keys as flags, each a byte.
[[nodiscard]] inline std::span<std::uint8_t const> flags_in(call const& c) {
  return {reinterpret_cast<std::uint8_t const*>(c.keys), c.n};
}
[[nodiscard]] inline std::span<std::size_t const> offsets_in(call const& c) {
  return {c.offsets, c.parts + 1};
}
/// Room for `size` results.
template <class T>
[[nodiscard]] std::span<T> results_in(call const& c, std::size_t size) {
  return {output<T>(c), size};
}
/// The same for the second output.
template <class T>
[[nodiscard]] std::span<T> more_results_in(call const& c, std::size_t size) {
  return {static_cast<T*>(c.more), size};
}

/// An element of 8 bytes that is sorted by a user-defined comparison function.
struct ordered_pair {
  std::uint32_t first, second;
  friend bool operator==(ordered_pair const&, ordered_pair const&) = default;
};
struct by_first {
  UPSWEEP_BOTH bool operator()(ordered_pair const& a, ordered_pair const& b) const {
    return a.first < b.first;
  }
};

inline constexpr std::size_t top_count = 100;      ///< of the rows of `top`
inline constexpr std::size_t kept_columns = 1000;  ///< of each row of `pad` and `unpad`
/// How many rows they have, of `parts` elements with the padding.
[[nodiscard]] inline std::size_t padded_rows(call const& c) {
  return c.n / c.parts;
}

/// Makes a call of a reduction or a scan `repeats` times, back to back.
using run_function = void (*)(call const&, std::size_t repeats);

/// How a row of `bench verbs` is done.
struct verb_entry {
  char const* key;  ///< verb, operator if there is a choice, type: "windowed max f32"
  void (*run)(call&) = nullptr;
  std::size_t most_work = ~std::size_t{0};  ///< largest n * parts that is worth the time
};
using verb_entries = std::span<verb_entry const>;

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

/// A peer library on the CPU.
struct peer {
  char const* name;   ///< "tbb", the argument of --peers
  char const* title;  ///< "oneTBB"
  bool spins;         ///< as in competitor
  /// Returns null if the peer cannot do this work; null if it has no reductions and scans.
  run_function (*find)(work const& what) = nullptr;
  verb_entries verbs{};
};
struct peer_list {
  peer const* first;
  std::size_t size;
};

/// A static object of this type in a peer's file adds the peer to the module's list.
struct registration {
  explicit registration(peer const& p);
};

/// The module's only entry point: its peers, limited to `threads` threads each.
using peers_function = peer_list (*)(int threads);
inline constexpr char const* peers_entry = "upsweep_bench_peers";

}  // namespace upsweep::bench
