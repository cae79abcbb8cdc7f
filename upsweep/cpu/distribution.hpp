/// Cumulative distributions on the processor: the engines of the scans, whose results become their
/// running maximum tile by tile, while the tile is in the cache.
#pragma once

#include <upsweep/cpu/scan.hpp>

#include <optional>
#include <utility>

namespace upsweep {

/// Throws for the first of the weights [begin, end) of `n` that is negative or NaN.
template <class Source>
void expect_weights(Source const& in, std::size_t begin, std::size_t end, std::size_t n) {
  if constexpr (Source::plain) {
    if constexpr (simd::has_reduce<min, typename Source::element>)
      if (simd::reduce<min>(in.pointer(begin), end - begin, mode::fast) >= 0) return;
  }
  for (std::size_t i = begin; i < end; ++i)
    if (!(in(i) >= 0))
      fail(
          "cumulative_distribution: the weight at index %zu of %zu is negative or NaN; a weight is "
          "0 or more",
          i, n);
}

/// Any numbers: `Engine` scans a tile, then its results are raised to the largest before them.
template <class Engine, class Source, class Sink, class Op>
class monotone_engine {
 public:
  using A = typename Source::accumulator;
  static constexpr std::size_t parallel_cutoff = Engine::parallel_cutoff;
  [[nodiscard]] static int tile(bool parallel) { return Engine::tile(parallel); }

  monotone_engine(Source const& in, emitter<Sink, Op, A> const& emit, Op const& op, int largest,
                  std::size_t n)
      : in_(in), out_(emit.out), n_(n), engine_(in, emit, op, largest, n) {}

  A up(std::size_t position, int k) {
    expect_weights(in_, position, position + (std::size_t{1} << k), n_);
    return engine_.up(position, k);
  }
  void down(std::size_t position, int k, A const* before, A const& after) {
    engine_.down(position, k, before, after);
    auto it = out_.first() + static_cast<std::iter_difference_t<typename Sink::iterator>>(position);
    for (std::size_t i = 0; i < std::size_t{1} << k; ++i, ++it) {
      if (typename Sink::element const result = *it; result < highest_)
        *it = highest_;
      else
        highest_ = result;
    }
  }

 private:
  Source const& in_;
  Sink const& out_;
  std::size_t n_;
  Engine engine_;
  typename Sink::element highest_{};  // of the tiles of this thread so far; no result is below 0
};

/// Built-in numbers in contiguous memory: the vector kernels scan a tile and then the maximum of
/// what they stored. An output beyond the caches is written past them, from a buffer that the
/// tile's sums are stored to.
template <class Source, class Sink, class Op>
class vector_monotone_engine {
 public:
  using T = typename Source::element;
  using A = typename Source::accumulator;
  static constexpr std::size_t beyond_caches =
      (std::size_t{1} << 24) / sizeof(T);  // as in vector_engine
  static constexpr std::size_t parallel_cutoff = beyond_caches;
  static constexpr std::size_t fits_a_cache =
      (std::size_t{1} << 20) / sizeof(T);  // with its results, an L2 of 2 MiB

  /// log2 of 64 KiB of elements, which are read three times, and their results twice.
  [[nodiscard]] static int tile(bool) { return floor_log2((std::size_t{1} << 16) / sizeof(T)); }

  vector_monotone_engine(Source const& in, emitter<Sink, Op, A> const& emit, Op const& op,
                         int largest, std::size_t n)
      : in_(in),
        emit_(emit),
        op_(op),
        n_(n),
        streams_(n >= beyond_caches && in.pointer(0) != emit.out.pointer(0)),
        buffer_(streams_ ? std::size_t{1} << largest : 0) {}

  /// All elements at once, if they fit a cache.
  void run() {
    expect_weights(in_, 0, n_, n_);
    T* const out = emit_.out.pointer(0);
    simd::scan<scan_kind::inclusive, Op>(in_.pointer(0), out, n_, nullptr, emit_.initial,
                                         simd::stores::cached);
    simd::scan<scan_kind::inclusive, max>(out, out, n_, nullptr, nullptr, simd::stores::cached);
  }

  A up(std::size_t position, int k) {
    expect_weights(in_, position, position + (std::size_t{1} << k), n_);
    return block_total(in_, position, k, op_);
  }
  /// During the next down(), fetches the block of the same size at `position`: its reading overlaps
  /// with this one's writing.
  void expect(std::size_t position) { ahead_ = in_.pointer(position); }
  void down(std::size_t position, int k, A const* before, A const& after) {
    std::size_t const n = std::size_t{1} << k;
    T* const out = emit_.out.pointer(position);
    T* const sums = streams_ ? &buffer_[0].value() : out;
    simd::scan<scan_kind::inclusive, Op>(in_.pointer(position), sums, n, before, emit_.initial,
                                         simd::stores::cached, std::exchange(ahead_, nullptr));
    sums[n - 1] = static_cast<T>(emit_.initial ? op_(*emit_.initial, after) : after);
    simd::scan<scan_kind::inclusive, max>(sums, out, n, highest_ ? &*highest_ : nullptr, nullptr,
                                          streams_ ? simd::stores::streamed : simd::stores::cached);
    highest_ = out[n - 1];
  }

 private:
  Source const& in_;
  emitter<Sink, Op, A> const& emit_;
  Op const& op_;
  std::size_t n_;
  bool streams_;
  uninitialized_array<T> buffer_;
  T const* ahead_ = nullptr;
  std::optional<T> highest_;  // of the tiles of this thread so far
};

/// Which engine makes the distribution of `Source` in `Sink`.
template <class Source, class Sink, class Op>
auto choose_monotone_engine() {
  using Emit = emitter<Sink, Op, typename Source::accumulator>;
  if constexpr (compiled::scans<Source, Sink> && simd::has_scan<max, typename Sink::element>)
    return std::type_identity<vector_monotone_engine<Source, Sink, Op>>{};
  else
    return std::type_identity<monotone_engine<
        typename decltype(choose_engine<scan_kind::inclusive, Source, Sink, Emit, Op>())::type,
        Source, Sink, Op>>{};
}

/// The running maximum of the inclusive prefixes of n weights, on up to `threads` threads (0: all
/// available). A thread knows the maximum of its own tiles, so in the end the beginning of each
/// tile is raised to the end of the tile before it: a few elements.
template <class Source, class Sink, class Op, class A>
void distribution_on(Source const& in, Sink const& out, std::size_t n, Op const& op, int threads,
                     A const* initial) {
  emitter<Sink, Op, A> const emit{out, op, initial, nullptr};
  using Engine = typename decltype(choose_monotone_engine<Source, Sink, Op>())::type;
  int const count = threads::team_size(n, Engine::parallel_cutoff, Sink::packed ? 1 : threads);
  if constexpr (requires(Engine& engine) { engine.run(); }) {
    if (n <= Engine::fits_a_cache) return Engine(in, emit, op, 0, n).run();
  }
  carry<A> left;
  if (count <= 1) return scan_serially<Engine>(in, emit, n, op, left);
  scan_in_parallel<Engine>(in, emit, n, op, count, left);
  block_sequence const tiles(0, n, tile_log2(n, count, Engine::tile(true)));
  auto const at = [&](std::size_t i) -> decltype(auto) {
    return out.first()[static_cast<std::iter_difference_t<typename Sink::iterator>>(i)];
  };
  for (std::size_t tile = 1; tile < tiles.size(); ++tile) {
    std::size_t i = tiles[tile].position;
    for (typename Sink::element const last = at(i - 1); i < n && at(i) < last; ++i) at(i) = last;
  }
}

}  // namespace upsweep
