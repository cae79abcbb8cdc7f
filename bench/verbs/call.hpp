/// A call of a verb in `upsweep bench verbs`, and the implementations of one participant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::bench {

/// The memory of one call; a member that the verb does not use is null or zero. Plain data, because
/// a module that is loaded at run time takes it.
struct verb_call {
  std::size_t n = 0;                     ///< elements
  void const* in = nullptr;              ///< the elements, or a text
  std::uint32_t const* keys = nullptr;   ///< n keys in runs, weights, or flags of a byte each
  std::size_t const* offsets = nullptr;  ///< parts + 1 borders of segments
  double const* levels = nullptr;        ///< parts + 1 borders of bins
  std::size_t parts = 0;  ///< segments, bins, or the width of windows or of padded rows
  /// Elements below it are selected; even bins lie between 0 and it.
  double level = 0;
  /// The results; what `in` and `keys` hold, before each call, for verbs that work in place. A call
  /// may point `out` elsewhere. The third part of a partition lies in `more` behind room for n.
  void *out = nullptr, *more = nullptr;
  std::size_t count = 0;  ///< the call stores how many results there are
  int threads = 1;
};

template <class T>
[[nodiscard]] std::span<T const> elements_in(verb_call const& c) {
  return {static_cast<T const*>(c.in), c.n};
}
[[nodiscard]] inline std::span<std::uint32_t const> keys_in(verb_call const& c) {
  return {c.keys, c.n};
}
/// The keys as flags, each a byte.
[[nodiscard]] inline std::span<std::uint8_t const> flags_in(verb_call const& c) {
  return {reinterpret_cast<std::uint8_t const*>(c.keys), c.n};
}
[[nodiscard]] inline std::span<std::size_t const> offsets_in(verb_call const& c) {
  return {c.offsets, c.parts + 1};
}
/// Room for `size` results.
template <class T>
[[nodiscard]] std::span<T> results_in(verb_call const& c, std::size_t size) {
  return {static_cast<T*>(c.out), size};
}
/// The same for the second output.
template <class T>
[[nodiscard]] std::span<T> more_results_in(verb_call const& c, std::size_t size) {
  return {static_cast<T*>(c.more), size};
}

/// An element of 8 bytes that is sorted by an order of the caller.
struct ordered_pair {
  std::uint32_t first, second;
  friend bool operator==(ordered_pair const&, ordered_pair const&) = default;
};
struct by_first {
  bool operator()(ordered_pair const& a, ordered_pair const& b) const { return a.first < b.first; }
};

inline constexpr std::size_t top_count = 100;      ///< of the rows of `top`
inline constexpr std::size_t kept_columns = 1000;  ///< of each row of `pad` and `unpad`
/// How many rows they have, of `parts` elements with the padding.
[[nodiscard]] inline std::size_t padded_rows(verb_call const& c) {
  return c.n / c.parts;
}

using verb_function = void (*)(verb_call&);

/// How a participant does one kind of work.
struct verb_entry {
  char const* key;  ///< verb, operator if there is a choice, type: "windowed max f32"
  verb_function run = nullptr;
  std::size_t most_work = ~std::size_t{0};  ///< largest n * parts that is worth the time
};
using verb_entries = std::span<verb_entry const>;

/// A peer on the processor: plain data, as verb_call.
struct verb_peer {
  char const* name;   ///< "tbb", the argument of --peers
  char const* title;  ///< "oneTBB"
  bool spins;         ///< as in competitor
  verb_entry const* first;
  std::size_t size;
};
struct verb_peer_list {
  verb_peer const* first;
  std::size_t size;
};
/// An entry point of a module: its peers, limited to `threads` threads each.
using verb_peers_function = verb_peer_list (*)(int threads);
inline constexpr char const* verb_peers_entry = "upsweep_bench_verb_peers";

}  // namespace upsweep::bench
