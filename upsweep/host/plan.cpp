/// The plans of calls on the CPU, and the table of their constants.
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/threads.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace upsweep::host {
namespace {

/// A constant, and the record of the run that chose it: a section of docs/design/, or the commit
/// whose message has the figures. bench/schedules.cpp compares plans on a machine.
struct constant {
  std::string_view name;
  std::size_t value;
  char const *unit, *measured;
};
constexpr char none[] = "no run on record";
constexpr constant constants[] = {
    // An unknown operator may take a tenth of a nanosecond or a second. Below `worth_waking` it
    // stays on the calling thread. Above, a trial decides how many threads start, unless the
    // fastest operator would be worth all of them.
    {"worth_waking", std::size_t{1} << 13, "elements", "0002, Two orders of tiles"},
    {"trial", std::size_t{1} << 11, "elements", none},
    {"least_share", std::size_t{1} << 8, "elements of a thread", none},
    {"most_elements_each_nanosecond", 10, "elements", none},
    // Each thread gets a share of the work, and a wait for each thread of the call, since more
    // threads wait longer for each other. The trial reads what other cores may hold, which takes
    // two to three times as long as the rest; the waits allow for that. Two threads are slower than
    // one on less than 7.5 us.
    {"share", 2500, "nanoseconds of a thread", none},
    {"reduction_wait", 1000, "nanoseconds", "commit 44902cfa"},
    {"scan_wait", 2500, "nanoseconds", "commit 44902cfa"},
    {"least_team_after_trial", 3, "threads", "commit 7c447e71"},
    // Slow operators gain more from an even distribution than from blocks of this size.
    {"fast_block_log2", 10, "log2 of elements", "0012, Levels through arrays in L1"},
    {"slow_operator", 10, "nanoseconds an element", none},
    // With so much input, and as much output, neither stays in one thread's caches.
    {"beyond_caches", std::size_t{1} << 24, "bytes", none},
    // Fewer threads gain a quarter on what their caches hold if they scan it, since they read it
    // twice. They lose as much when other programs take a core from one of them.
    {"least_team_in_caches", 4, "threads", "0002, Two orders of tiles"},
    // Vector reductions and scans wake threads from here on: one core scans so much in 20 us, the
    // time in which a sleeping thread wakes. From `reduced_by_few` on a reduction wakes fewer than
    // four, too.
    {"cutoff", std::size_t{1} << 19, "bytes", "commit 6e7de914"},
    {"reduced_by_few", std::size_t{1} << 20, "bytes", "commit 1af90b7d"},
    // The least input of a thread for each thread of the call. More threads do not disturb a
    // reduction whose threads have `enough_reduced` each.
    {"reduction_share", 32768, "bytes", "0002, Two orders of tiles"},
    {"scan_share", 16384, "bytes", "commit ed0ef90e"},
    {"enough_reduced", std::size_t{1} << 19, "bytes", "commit 1af90b7d"},
    // So few threads gain from prefetching their next tile while they write the current one, in
    // arrays that exceed all caches. More threads then wait for each other's tiles and lose up to
    // three quarters of their speed.
    {"most_threads_ahead", 4, "threads", "commit 6e7de914"},
    {"least_ahead", std::size_t{1} << 26, "bytes", none},
    // What stays in the caches of the threads' cores from one call to the next.
    {"held", 3, "quarters of the second caches", "commit 56d2aa36"},
    // More is read faster in input order, by all threads in the same region.
    {"most_reduced_by_shares", std::size_t{1} << 25, "bytes", "commit 1af90b7d"},
    {"least_tiles", 4, "tiles of a thread", none},
    // A waiting scan is delayed by whoever loses its processor, so some stay free.
    {"free_processors", 8, "of every 32", "commit 19195fc0"},
    // The hardware prefetcher restarts at each tile of a reduction: 256 KiB reach 0.8 of the read
    // bandwidth, 1 MiB 0.95. A scan reads its tile again, from L2.
    {"reduced_tile", std::size_t{1} << 21, "bytes", "0002, Two orders of tiles"},
    {"scanned_tile", std::size_t{1} << 18, "bytes", none},
    // The nodes of a serial tile fit L1. Parallel tiles are larger, for fewer totals to exchange.
    {"serial_nodes", 8192, "bytes", none},
    {"parallel_nodes", std::size_t{1} << 18, "bytes", "commit 1f5fd519"},
    {"parallel_objects", std::size_t{1} << 16, "bytes", none},
    {"largest_object", 512, "bytes, if the tile depends on it", none},
    {"running_tile_log2", 14, "log2 of elements", none},
    {"selected_tile", std::size_t{1} << 17, "bytes", none},
    {"distributed_tile", std::size_t{1} << 16, "bytes", none},
};

/// The value of a row. A name without a row does not compile.
consteval std::size_t tuned(std::string_view name) {
  for (auto const& row : constants)
    if (row.name == name) return row.value;
  throw "no such constant";
}

/// Whether data stay in the caches of the threads' cores from one call to the next.
bool fits_own_caches(std::size_t bytes, int threads) {
  return bytes <=
         static_cast<std::size_t>(threads) * threads::own_cache_bytes() / 4 * tuned("held");
}

/// log2 of the elements in a tile: at most `largest`, and such that each thread gets its least
/// number of tiles.
int tile_for(std::size_t n, int threads, int largest) {
  std::size_t const share = n / (tuned("least_tiles") * static_cast<std::size_t>(threads));
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
  return detail::at_most(nanoseconds / tuned("share"), with_waits);
}
/// Reduces the threads of the plan to those.
void limit_threads(plan& p, std::size_t nanoseconds) {
  std::size_t const worth = threads_worth(p, nanoseconds);
  if (worth < static_cast<std::size_t>(p.threads))
    p.threads = worth < tuned("least_team_after_trial") ? 1 : static_cast<int>(worth);
}

/// The threads and tiles of a call with an operator or a function that is not known. To ask how
/// many threads there are takes as long as to reduce some thousand elements, so it waits for the
/// trial if that may leave the call to one.
void plan_unknown(plan& p, std::size_t n, int threads, int largest) {
  if (is_short(n, tuned("worth_waking"), threads)) return;
  std::size_t const least_time = n / tuned("most_elements_each_nanosecond");
  bool const is_forced = threads::largest_cutoff < tuned("worth_waking");  // by a test
  p.asks = threads == 0 && !is_forced && threads_worth(p, least_time) < 2;
  p.threads = threads::team_size(n, tuned("worth_waking"), p.asks ? threads::most : threads,
                                 tuned("least_share"));
  if (p.threads == 1) return;
  p.tile_log2 = tile_for(n, p.threads, largest);
  plan fastest = p;
  limit_threads(fastest, least_time);
  if (fastest.threads == p.threads || is_forced) return;
  p.trial = tuned("trial");
  p.tile_log2 = largest;
}

/// log2 of the most elements of this size that fit `bytes`, a power of two, and of one element if
/// none fits. Calls on a few elements have no time for a division.
int log2_of_elements(std::size_t bytes, std::size_t element_bytes) {
  int const unused = element_bytes > 1 ? detail::floor_log2(element_bytes - 1) + 1 : 0,
            all = detail::floor_log2(bytes);
  return unused < all ? all - unused : 0;
}

/// The least input of each thread, which grows with the root of all.
std::size_t root_share(std::size_t bytes, std::size_t each) {
  return static_cast<std::size_t>(
      std::sqrt(static_cast<double>(each) * static_cast<double>(bytes)));
}
std::size_t reduce_share_bytes(std::size_t bytes) {
  return detail::at_most(root_share(bytes, tuned("reduction_share")), tuned("enough_reduced"));
}
std::size_t scan_share_bytes(std::size_t bytes) {
  return root_share(bytes, tuned("scan_share"));
}

/// The threads of a vector reduction or scan, each of which gets share_bytes(all bytes); few only
/// from `few_bytes` on.
int vector_threads(workload const& w, std::size_t n, int threads,
                   std::size_t (*share_bytes)(std::size_t), std::size_t few_bytes) {
  std::size_t const cutoff = std::size_t{1} << log2_of_elements(tuned("cutoff"), w.element_bytes);
  if (is_short(n, cutoff, threads)) return 1;
  int const team =
      threads::team_size(n, cutoff, threads, share_bytes(n * w.element_bytes) / w.element_bytes);
  bool const are_few = team < int{tuned("least_team_in_caches")};
  return are_few && is_short(n, few_bytes / w.element_bytes, threads) ? 1 : team;
}

/// The threads of a scan that may use `team`. Each waits for all others, so whoever loses its
/// processor to another program delays the call: if the caller has not named a number, some stay
/// free.
int threads_that_wait(int team, int asked) {
  return asked == 0 ? team - team / 32 * int{tuned("free_processors")} : team;
}

/// Data that fit the threads' own caches are divided into shares and stored there. Larger data are
/// scanned by tickets and stored past the caches.
plan plan_vector_scan(plan p, workload const& w, std::size_t n, int threads) {
  std::size_t const most = tuned("beyond_caches");
  p.threads = threads_that_wait(vector_threads(w, n, threads, scan_share_bytes, most), threads);
  int const largest = log2_of_elements(tuned("scanned_tile"), w.element_bytes);
  std::size_t const in_bytes = n * w.element_bytes, bytes = w.in_place ? in_bytes : 2 * in_bytes;
  if (p.threads == 1) {
    p.tile_log2 = largest;
    p.streamed = !w.in_place && in_bytes >= most;
  } else if (fits_own_caches(bytes, p.threads)) {
    p.order = tile_order::shares;
    p.tile_log2 = tile_for(n, p.threads, detail::largest_block_log2);
  } else {
    p.tile_log2 = tile_for(n, p.threads, largest);
    p.streamed = !w.in_place;
    p.ahead = p.threads <= int{tuned("most_threads_ahead")} && in_bytes >= tuned("least_ahead");
  }
  return p;
}

/// log2 of the largest tile of a scan by the other strategies.
int largest_scan_tile(workload const& w, bool parallel) {
  std::size_t const node_bytes = parallel ? tuned("parallel_nodes") : tuned("serial_nodes");
  if (w.strategy == strategy::running) return int{tuned("running_tile_log2")};
  if (w.strategy == strategy::objects)
    return log2_of_elements(parallel ? tuned("parallel_objects") : node_bytes,
                            detail::at_most(w.accumulator_bytes, tuned("largest_object")));
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
  int const largest = log2_of_elements(tuned("reduced_tile"), detail::at_most(w.element_bytes, 64));
  plan p{.strategy = w.strategy, .wait_nanoseconds = tuned("reduction_wait")};
  if (w.strategy != strategy::compiled) {
    plan_unknown(p, n, threads, largest);
    return p;
  }
  p.threads = vector_threads(w, n, threads, reduce_share_bytes, tuned("reduced_by_few"));
  if (p.threads == 1) return p;
  p.tile_log2 = tile_for(n, p.threads, largest);
  std::size_t const bytes = n * w.element_bytes;
  if (bytes <= tuned("most_reduced_by_shares") && fits_own_caches(bytes, p.threads))
    p.order = tile_order::shares;
  return p;
}

plan plan_scan(workload const& w, std::size_t n, int threads) {
  plan p{.strategy = w.strategy, .wait_nanoseconds = tuned("scan_wait"), .waits = true};
  int const most = w.one_thread ? 1 : threads;
  if (w.strategy == strategy::compiled) return plan_vector_scan(p, w, n, most);
  plan_unknown(p, n, most, largest_scan_tile(w, true));
  p.threads = threads_that_wait(p.threads, most);
  p.streamed = w.streams && !w.in_place && n * w.element_bytes >= tuned("beyond_caches");
  if (p.threads == 1) p.tile_log2 = largest_scan_tile(w, false);
  return p;
}

plan plan_selection(std::size_t element_bytes, std::size_t n, int threads) {
  plan p{.wait_nanoseconds = tuned("scan_wait"), .waits = true};
  plan_unknown(p, n, threads, log2_of_elements(tuned("selected_tile"), element_bytes));
  p.threads = threads_that_wait(p.threads, threads);
  return p;
}

plan plan_after_trial(plan p, std::size_t n, std::size_t nanoseconds) {
  std::size_t const rest = nanoseconds * (n - p.trial) / p.trial;
  if (p.asks && threads_worth(p, rest) > 1)
    p.threads = std::min(
        p.threads, p.waits ? threads_that_wait(threads::available(), 0) : threads::available());
  limit_threads(p, rest);
  // One thread alone needs no tiles that exceed its cache.
  bool const is_slow = nanoseconds > tuned("slow_operator") * p.trial;
  int const most{tuned("fast_block_log2")};
  int const block = p.tile_log2 < most ? p.tile_log2 : most;
  int const tile = p.threads == 1 ? block : tile_for(n, p.threads, p.tile_log2);
  p.tile_log2 = is_slow || tile > block ? tile : block;
  p.trial = 0;
  return p;
}

plan plan_distribution(workload const& w, std::size_t n, int threads) {
  if (w.strategy != strategy::compiled) return plan_scan(w, n, threads);
  std::size_t const beyond_caches = tuned("beyond_caches") / w.element_bytes;
  plan p{.strategy = w.strategy, .threads = threads::team_size(n, beyond_caches, threads)};
  int const largest = log2_of_elements(tuned("distributed_tile"), w.element_bytes);
  p.tile_log2 = p.threads > 1 ? tile_for(n, p.threads, largest) : largest;
  p.streamed = !w.in_place && n >= beyond_caches;
  return p;
}

}  // namespace upsweep::host
