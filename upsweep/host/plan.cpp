/// The constants behind the plans; docs/design/0002-cpu.md has the measurements.
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/threads.hpp>

namespace upsweep::host {
namespace {

/// Waking other threads takes as long as this many applications of an unknown operator.
constexpr std::size_t worth_waking = std::size_t{1} << 14;

/// 16 MiB of input, as much output again, and neither stays in the caches. Below, several threads
/// would first have to fetch the lines of the output from each other's caches, at a tenth of the
/// speed of memory.
constexpr std::size_t beyond_caches_bytes = std::size_t{1} << 24;

/// log2 of a tile's elements, such that each thread gets at least four tiles, and at most
/// `largest`.
int tile_for(std::size_t n, int threads, int largest) {
  std::size_t const share = n / (4 * static_cast<std::size_t>(threads));
  return share == 0 ? 0 : detail::floor_log2(share) < largest ? detail::floor_log2(share) : largest;
}

/// log2 of the largest tile of a scan.
int largest_scan_tile(workload const& w, bool parallel) {
  // The nodes of a serial tile stay in L1; a parallel one has fewer totals to exchange.
  std::size_t const node_bytes = parallel ? 65536 : 8192;
  switch (w.engine) {
    case engine::vector:
      return detail::floor_log2((std::size_t{1} << 18) / w.element_bytes);  // read again from L2
    case engine::fold:
      return 14;
    case engine::object:
      return detail::floor_log2(node_bytes / detail::at_most(w.accumulator_bytes, 512));
    case engine::tree:
      break;
  }
  return detail::floor_log2(node_bytes / w.accumulator_bytes);
}

}  // namespace

char const* name_of(engine e) {
  constexpr char const* names[] = {"tree", "object", "fold", "vector"};
  return names[static_cast<int>(e)];
}

plan plan_reduce(workload const& w, std::size_t n, int threads) {
  std::size_t const cutoff =
      w.engine == engine::vector ? (std::size_t{1} << 20) / w.element_bytes : worth_waking;
  // Each new tile starts the hardware prefetcher afresh: tiles of 256 KiB reached 0.8 of the read
  // limit, 1 MiB 0.95, 2 MiB all of it.
  int const largest =
      detail::floor_log2((std::size_t{1} << 21) / detail::at_most(w.element_bytes, 64));
  plan p{.engine = w.engine, .threads = threads::team_size(n, cutoff, threads)};
  if (p.threads > 1) p.tile_log2 = tile_for(n, p.threads, largest);
  return p;
}

plan plan_scan(workload const& w, std::size_t n, int threads) {
  bool const is_vector = w.engine == engine::vector;
  std::size_t const beyond_caches = beyond_caches_bytes / w.element_bytes;
  plan p{.engine = w.engine};
  p.threads =
      threads::team_size(n, is_vector ? beyond_caches : worth_waking, w.one_thread ? 1 : threads);
  p.tile_log2 = p.threads > 1 ? tile_for(n, p.threads, largest_scan_tile(w, true))
                              : largest_scan_tile(w, false);
  p.streamed = is_vector && !w.in_place && n >= beyond_caches;
  return p;
}

plan plan_distribution(workload const& w, std::size_t n, int threads) {
  plan p = plan_scan(w, n, threads);
  if (w.engine != engine::vector) return p;
  int const largest = detail::floor_log2((std::size_t{1} << 16) / w.element_bytes);
  p.tile_log2 = p.threads > 1 ? tile_for(n, p.threads, largest) : largest;
  return p;
}

}  // namespace upsweep::host
