/// The constants of the plans; docs/design/0002-cpu.md has the measurements.
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/threads.hpp>

#include <cmath>

namespace upsweep::host {
namespace {

/// An unknown operator may take a tenth of a nanosecond or a second. Below 2^13 elements it stays
/// on the calling thread. Above, a trial of 2^11 elements decides how many threads start, unless
/// the fastest operator would be worth all of them.
constexpr std::size_t worth_waking = std::size_t{1} << 13, trial_elements = std::size_t{1} << 11,
                      least_share = std::size_t{1} << 8, most_elements_each_nanosecond = 10;

/// Each thread gets at least 2.5 us of the work, and 1 us (2.5 us in scans) for each thread of the
/// call, since more threads wait longer for each other. None is woken for less than 7.5 us: two
/// threads are slower there than one. The trial reads what other cores may hold, which takes two to
/// three times as long as the rest; the waits allow for that.
constexpr std::size_t share_nanoseconds = 2500, reduction_wait = 1000, scan_wait = 2500,
                      least_team_after_trial = 3;

/// Fast operators combine blocks of 2^10 elements.
constexpr int fast_block_log2 = 10;

/// With 16 MiB of input, and as much output, neither stays in one thread's caches.
constexpr std::size_t beyond_caches_bytes = std::size_t{1} << 24;

/// Two or three threads gain a quarter on what their caches hold if they scan it, since they read
/// it twice. They lose as much when other programs take a core from one of them, so they start
/// beyond the caches.
constexpr int least_team_in_caches = 4;

/// Vector reductions and scans wake threads from 512 KiB of input on, which one core scans in 20
/// us, the time in which a sleeping thread wakes; a reduction fewer than four from 1 MiB on.
constexpr std::size_t cutoff_bytes = std::size_t{1} << 19, reduced_by_few_bytes = 2 * cutoff_bytes;

/// The least input of each thread of a reduction and of a scan: 32 and 16 KiB for each thread of
/// the call, since more threads wait longer for each other. These are the best numbers of threads
/// on 16 and 64 cores whose pool was awake. From 512 KiB each, more threads do not disturb a
/// reduction.
std::size_t root_share(std::size_t bytes, double each) {
  return static_cast<std::size_t>(std::sqrt(each * static_cast<double>(bytes)));
}
std::size_t reduce_share_bytes(std::size_t bytes) {
  return detail::at_most(root_share(bytes, 32768), std::size_t{1} << 19);
}
std::size_t scan_share_bytes(std::size_t bytes) {
  return root_share(bytes, 16384);
}

/// Up to four threads gain from prefetching their next tile while they write the current one, in
/// arrays that exceed all caches. More threads then wait for each other's tiles and lose up to
/// three quarters of their speed.
constexpr int most_threads_ahead = 4;
constexpr std::size_t least_bytes_ahead = std::size_t{1} << 26;

/// Whether data stay in the caches of the threads' cores from one call to the next.
bool fits_own_caches(std::size_t bytes, int threads) {
  return bytes <= static_cast<std::size_t>(threads) * threads::own_cache_bytes() / 4 * 3;
}

/// More than this is read faster in input order, by all threads in the same region, even if the
/// caches could hold it.
constexpr std::size_t most_reduced_by_shares = std::size_t{1} << 25;

/// log2 of the elements in a tile: at most `largest`, and such that each thread gets at least four
/// tiles.
int tile_for(std::size_t n, int threads, int largest) {
  std::size_t const share = n / (4 * static_cast<std::size_t>(threads));
  return share == 0 ? 0 : detail::floor_log2(share) < largest ? detail::floor_log2(share) : largest;
}

/// Whether a call with this cutoff runs on the calling thread, without asking how many there are.
bool is_short(std::size_t n, std::size_t cutoff, int threads) {
  return threads >= 0 && n < detail::at_most(cutoff, threads::largest_cutoff);
}

/// How many threads so much work of one thread is worth.
std::size_t threads_worth(plan const& p, std::size_t nanoseconds) {
  auto const with_waits = static_cast<std::size_t>(
      std::sqrt(static_cast<double>(nanoseconds) / static_cast<double>(p.wait_nanoseconds)));
  return detail::at_most(nanoseconds / share_nanoseconds, with_waits);
}
/// Reduces the threads of the plan to those.
void limit_threads(plan& p, std::size_t nanoseconds) {
  std::size_t const worth = threads_worth(p, nanoseconds);
  if (worth < static_cast<std::size_t>(p.threads))
    p.threads = worth < least_team_after_trial ? 1 : static_cast<int>(worth);
}

/// The threads and tiles of a call with an operator or a function that is not known. To ask how
/// many threads there are takes as long as to reduce some thousand elements, so it waits for the
/// trial if that may leave the call to one.
void plan_unknown(plan& p, std::size_t n, int threads, int largest) {
  if (is_short(n, worth_waking, threads)) return;
  std::size_t const least_time = n / most_elements_each_nanosecond;
  bool const is_forced = threads::largest_cutoff < worth_waking;  // by a test
  p.asks = threads == 0 && !is_forced && threads_worth(p, least_time) < 2;
  p.threads = threads::team_size(n, worth_waking, p.asks ? threads::most : threads, least_share);
  if (p.threads == 1) return;
  p.tile_log2 = tile_for(n, p.threads, largest);
  plan fastest = p;
  limit_threads(fastest, least_time);
  if (fastest.threads == p.threads || is_forced) return;
  p.trial = trial_elements;
  p.tile_log2 = largest;
}

/// log2 of the most elements of this size that fit `bytes`, a power of two. Calls on a few elements
/// have no time for a division.
int log2_of_elements(std::size_t bytes, std::size_t element_bytes) {
  int const unused = element_bytes > 1 ? detail::floor_log2(element_bytes - 1) + 1 : 0;
  return detail::floor_log2(bytes) - unused;
}

/// 256 KiB, so that the second read of a tile comes from L2.
int scan_tile_log2(workload const& w) {
  return log2_of_elements(std::size_t{1} << 18, w.element_bytes);
}

/// The threads of a vector reduction or scan, each of which gets share_bytes(all bytes); fewer than
/// four only from `few_bytes` on.
int vector_threads(workload const& w, std::size_t n, int threads,
                   std::size_t (*share_bytes)(std::size_t), std::size_t few_bytes) {
  std::size_t const cutoff = std::size_t{1} << log2_of_elements(cutoff_bytes, w.element_bytes);
  if (is_short(n, cutoff, threads)) return 1;
  int const team =
      threads::team_size(n, cutoff, threads, share_bytes(n * w.element_bytes) / w.element_bytes);
  return team < least_team_in_caches && is_short(n, few_bytes / w.element_bytes, threads) ? 1
                                                                                          : team;
}

/// The threads of a scan that may use `team`. Each waits for all others, so whoever loses its
/// processor to another program delays the call: if the caller has not named a number, eight of
/// every 32 processors stay free.
int threads_that_wait(int team, int asked) {
  return asked == 0 ? team - team / 32 * 8 : team;
}

/// Data that fit three quarters of the threads' own caches are divided into shares and stored
/// there. Larger data are scanned by tickets and stored past the caches.
plan plan_vector_scan(plan p, workload const& w, std::size_t n, int threads) {
  p.threads = threads_that_wait(
      vector_threads(w, n, threads, scan_share_bytes, beyond_caches_bytes), threads);
  std::size_t const in_bytes = n * w.element_bytes, bytes = w.in_place ? in_bytes : 2 * in_bytes;
  if (p.threads == 1) {
    p.tile_log2 = scan_tile_log2(w);
    p.streamed = !w.in_place && in_bytes >= beyond_caches_bytes;
  } else if (fits_own_caches(bytes, p.threads)) {
    p.order = tile_order::shares;
    p.tile_log2 = tile_for(n, p.threads, 62);
  } else {
    p.tile_log2 = tile_for(n, p.threads, scan_tile_log2(w));
    p.streamed = !w.in_place;
    p.ahead = p.threads <= most_threads_ahead && in_bytes >= least_bytes_ahead;
  }
  return p;
}

/// log2 of the largest tile of a scan by the other strategies.
int largest_scan_tile(workload const& w, bool parallel) {
  // The nodes of a serial tile fit L1. Parallel tiles are larger, for fewer totals to exchange.
  std::size_t const node_bytes = parallel ? std::size_t{1} << 18 : 8192;
  if (w.strategy == strategy::running) return 14;
  if (w.strategy == strategy::objects)
    return log2_of_elements(parallel ? 65536 : node_bytes,
                            detail::at_most(w.accumulator_bytes, 512));
  return log2_of_elements(node_bytes, w.accumulator_bytes);
}

}  // namespace

char const* name_of(tile_order o) {
  return o == tile_order::shares ? "shares" : "tickets";
}

char const* name_of(strategy s) {
  switch (s) {
    using enum strategy;
    case compiled:
      return "compiled";
    case kernels:
      return "kernels";
    case pairs:
      return "pairs";
    case recurrence:
      return "recurrence";
    case running:
      return "running";
    case registers:
      return "registers";
    case levels:
      return "levels";
    case nodes:
      return "nodes";
    case objects:
      return "objects";
  }
  return "";
}

char const* name_of(few_strategy s) {
  switch (s) {
    using enum few_strategy;
    case nothing:
      return "-";
    case loop:
      return "loop";
    case shape:
    case opaque_shape:
      return "shape";
  }
  return "";
}

plan plan_reduce(workload const& w, std::size_t n, int threads) {
  // The hardware prefetcher restarts at each tile: tiles of 256 KiB reached 0.8 of the read
  // bandwidth, 1 MiB 0.95, 2 MiB all of it.
  int const largest = log2_of_elements(std::size_t{1} << 21, detail::at_most(w.element_bytes, 64));
  plan p{.strategy = w.strategy, .wait_nanoseconds = reduction_wait};
  if (w.strategy != strategy::compiled) {
    plan_unknown(p, n, threads, largest);
    return p;
  }
  p.threads = vector_threads(w, n, threads, reduce_share_bytes, reduced_by_few_bytes);
  if (p.threads == 1) return p;
  p.tile_log2 = tile_for(n, p.threads, largest);
  std::size_t const bytes = n * w.element_bytes;
  if (bytes <= most_reduced_by_shares && fits_own_caches(bytes, p.threads))
    p.order = tile_order::shares;
  return p;
}

plan plan_scan(workload const& w, std::size_t n, int threads) {
  plan p{.strategy = w.strategy, .wait_nanoseconds = scan_wait};
  int const most = w.one_thread ? 1 : threads;
  if (w.strategy == strategy::compiled) return plan_vector_scan(p, w, n, most);
  plan_unknown(p, n, most, largest_scan_tile(w, true));
  p.threads = threads_that_wait(p.threads, most);
  p.streamed = w.streams && !w.in_place && n * w.element_bytes >= beyond_caches_bytes;
  if (p.threads == 1) p.tile_log2 = largest_scan_tile(w, false);
  return p;
}

plan plan_selection(std::size_t element_bytes, std::size_t n, int threads) {
  plan p{.wait_nanoseconds = scan_wait};
  plan_unknown(p, n, threads, log2_of_elements(std::size_t{1} << 17, element_bytes));
  p.threads = threads_that_wait(p.threads, threads);
  return p;
}

plan plan_after_trial(plan p, std::size_t n, std::size_t nanoseconds) {
  std::size_t const rest = nanoseconds * (n - p.trial) / p.trial;
  if (p.asks && threads_worth(p, rest) > 1)
    if (int const all = threads::available(); all < p.threads) p.threads = all;
  limit_threads(p, rest);
  // Slow operators gain more from an even distribution than from large blocks; one thread alone
  // needs none that exceed its cache.
  bool const is_slow = nanoseconds > 10 * p.trial;
  int const block = p.tile_log2 < fast_block_log2 ? p.tile_log2 : fast_block_log2;
  int const tile = p.threads == 1 ? block : tile_for(n, p.threads, p.tile_log2);
  p.tile_log2 = is_slow || tile > block ? tile : block;
  p.trial = 0;
  return p;
}

plan plan_distribution(workload const& w, std::size_t n, int threads) {
  if (w.strategy != strategy::compiled) return plan_scan(w, n, threads);
  std::size_t const beyond_caches = beyond_caches_bytes / w.element_bytes;
  plan p{.strategy = w.strategy, .threads = threads::team_size(n, beyond_caches, threads)};
  int const largest = log2_of_elements(std::size_t{1} << 16, w.element_bytes);
  p.tile_log2 = p.threads > 1 ? tile_for(n, p.threads, largest) : largest;
  p.streamed = !w.in_place && n >= beyond_caches;
  return p;
}

}  // namespace upsweep::host
