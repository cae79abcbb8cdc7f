/// Cumulative distributions on the CPU: a scan, and a running maximum over each tile's
/// results while the tile is in the cache.
#pragma once

#include <upsweep/host/scan.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace upsweep::host {

/// Throws for the first of the weights [begin, end) of `n` that is negative or NaN.
template <class Weights>
void expect_weights(Weights const& weight, std::size_t begin, std::size_t end, std::size_t n) {
  for (std::size_t i = begin; i < end; ++i)
    if (!(weight(i) >= 0))
      detail::fail(
          "cumulative_distribution: the weight at index %zu of %zu is negative or NaN; weights "
          "must be 0 or more",
          i, n);
}

/// For any numbers: `Engine` scans a tile, then the results are replaced by their running maximum.
template <class Engine, class Scan>
class monotone_engine {
 public:
  using A = typename Scan::accumulator;

  explicit monotone_engine(Scan const& scan) : scan_(scan), engine_(scan) {}

  A up(std::size_t position, int k) {
    expect_weights([&](std::size_t i) { return scan_.in(i); }, position,
                   position + (std::size_t{1} << k), scan_.n);
    return engine_.up(position, k);
  }
  void down(std::size_t position, int k, A const* before, A const& after) {
    engine_.down(position, k, before, after);
    auto it = scan_.out.first() +
              static_cast<std::iter_difference_t<typename Scan::sink::iterator>>(position);
    for (std::size_t i = 0; i < std::size_t{1} << k; ++i, ++it) {
      if (typename Scan::sink::element const result = *it; result < highest_)
        *it = highest_;
      else
        highest_ = result;
    }
  }

 private:
  Scan const& scan_;
  Engine engine_;
  // Of the tiles of this thread so far; no result is below 0.
  typename Scan::sink::element highest_{};
};

/// Scans the tiles of n weights by `Engine`, which replaces the sums by their running maximum. A
/// thread knows the maximum of its own tiles only, so the first results of each tile are then
/// raised to the last one of the tile before it: a few of each tile.
template <class Engine, class Scan, class A, class It>
void distribute_tiles(Scan const& scan, It out, std::size_t n, plan const& p, carry<A>& left) {
  plan const rest = scan_tiles<Engine>(scan, n, plus{}, p, left);
  if (p.trial == 0 && p.threads <= 1) return;
  detail::block_sequence const tiles(p.trial, n, rest.tile_log2);
  auto const at = [&](std::size_t i) -> decltype(auto) {
    return out[static_cast<std::iter_difference_t<It>>(i)];
  };
  for (std::size_t tile = p.trial == 0 ? 1 : 0; tile < tiles.size(); ++tile) {
    std::size_t i = tiles[tile].position;
    for (std::iter_value_t<It> const last = at(i - 1); i < n && at(i) < last; ++i) at(i) = last;
  }
}

/// Distributions of numbers in contiguous memory, for the types T of compiled scans by max, with
/// the accumulators A of their sums; instances are in distribution.cpp.
template <class T, class A>
UPSWEEP_API void distribute_memory(T const* x, T* out, std::size_t n, plan const& p,
                                   A const* initial);

/// The running maximum of the inclusive prefixes of a call's weights.
template <class Call, class Sink>
void distribute(Call const& c, Sink const& out, int threads) {
  using Source = std::remove_const_t<decltype(c.in)>;
  plan const p = plan_distribution(scan_workload(c, out), c.n, threads);
  if constexpr (is_compiled_scan<Source, Sink> &&
                has_compiled_scan<max, typename Source::element>) {
    fixed_value<Source> const initial(c.initial);
    distribute_memory(fixed_pointer(c.in, 0), fixed_pointer(out, 0), c.n, p, initial.get());
  } else {
    using Scan = scan_of<Source, Sink, plus>;
    using Engine = engine_type<scan_kind::inclusive, scan_strategy<Source, Sink, plus>, Scan>;
    Scan const scan{c.in, out, c.op, c.initial, c.first, p.tile(c.n), c.n};
    carry<typename Call::accumulator> left;
    distribute_tiles<monotone_engine<Engine, Scan>>(scan, out.first(), c.n, p, left);
  }
}

}  // namespace upsweep::host
