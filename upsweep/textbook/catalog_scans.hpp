/// A row of the table of contents of the textbook, and the rows of the scans.
#pragma once

#include <array>
#include <string_view>

namespace upsweep::textbook {

/// What an algorithm computes.
enum class kind { reduce, scan };
/// How much one launch of its kernel covers; its plan covers any N.
enum class scope { warp, block, device };

/// One algorithm. Its kernel is `stem`, its plan `<stem>_plan<threads>`, its page
/// docs/algorithms/<stem>.md.
///
/// `T` threads, `n` elements and `W` warps in a block, `C` blocks in a cluster, `c` the coarsening
/// factor, `B` blocks and `N` elements in all. "Applications" are calls of the operator.
struct entry {
  std::string_view stem;
  kind what;
  scope where;
  std::string_view file;          ///< below upsweep/textbook/
  std::string_view sentence;      ///< what it does that its predecessor does not
  std::string_view applications;  ///< of the kernel, on a full tile or on N elements as stated
  std::string_view steps;         ///< the longest chain of applications
  std::string_view
      traffic;  ///< its other costs, which the tests check: memory, barriers, shuffles, atomics
  std::string_view source;
  std::string_view improves_on;  ///< a stem, or nothing
  std::string_view improved_by;  ///< a stem, or nothing
  bool keeps_order = true;       ///< false: only for operators that commute
  bool inclusive = false;        ///< scans: which forms there are. A scan with both has
                                 ///< `<stem>_plan<threads, exclusive>`
  bool exclusive = false;
  bool emulator_only = false;
};

inline constexpr std::array scans{
    // Scans of one warp or block.
    entry{.stem = "serial_scan",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/serial_scan.hpp",
          .sentence = "One thread scans the array in a loop.",
          .applications = "N - 1",
          .steps = "N - 1",
          .traffic = "N loads, N stores; 1 of 32 lanes works",
          .source = "Blelloch 1990, CMU-CS-90-190",
          .improves_on = "",
          .improved_by = "quadratic",
          .inclusive = true,
          .exclusive = true},
    entry{.stem = "quadratic",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/quadratic.hpp",
          .sentence = "Every thread sums its own prefix, and threads share nothing.",
          .applications = "n (n - 1) / 2",
          .steps = "n - 1",
          .traffic = "n (n + 1) / 2 loads, n stores; no barrier",
          .source = "lecture notes on reduction and scan",
          .improves_on = "serial_scan",
          .improved_by = "kogge_stone_global",
          .inclusive = true},
    entry{.stem = "kogge_stone_global",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/kogge_stone_global.hpp",
          .sentence = "Sums of doubling length in global memory: every thread reuses its "
                      "neighbor's partial sum.",
          .applications = "n log2 n - (n - 1)",
          .steps = "log2 n",
          .traffic = "2 loads of the output per application; 1 + 2 log2 n barriers",
          .source =
              "Kogge and Stone 1973; ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum",
          .improves_on = "quadratic",
          .improved_by = "kogge_stone",
          .inclusive = true},
    entry{.stem = "kogge_stone",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/kogge_stone.hpp",
          .sentence = "Sums of doubling length in shared memory, in one buffer with two barriers "
                      "per step; exclusive by a shifted load.",
          .applications = "n log2 n - (n - 1)",
          .steps = "log2 n",
          .traffic = "2n element accesses; 1 + 2 log2 n barriers: 21 at n = 1024; no bank conflict",
          .source =
              "Kogge and Stone 1973; PMPP 4th ed., ch. 11; ETH Zurich, P&S Heterogeneous Systems",
          .improves_on = "kogge_stone_global",
          .improved_by = "kogge_stone_double",
          .inclusive = true,
          .exclusive = true},
    entry{.stem = "kogge_stone_double",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/kogge_stone_double.hpp",
          .sentence = "Sums of doubling length in two alternating buffers: one barrier per step.",
          .applications = "n log2 n - (n - 1)",
          .steps = "log2 n",
          .traffic =
              "2n element accesses; 1 + log2 n barriers: 11 at n = 1024; twice the shared memory",
          .source = "PMPP 4th ed., ch. 11; ETH Zurich, P&S Heterogeneous Systems",
          .improves_on = "kogge_stone",
          .improved_by = "warp_shuffle_scan",
          .inclusive = true},
    entry{.stem = "hillis_steele",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/hillis_steele.hpp",
          .sentence = "The naive scan of the tutorials, from x[in] to x[out] and back, shifted by "
                      "one while loading.",
          .applications = "n log2 n - (n - 1)",
          .steps = "log2 n",
          .traffic = "2n element accesses; 1 + log2 n barriers; twice the shared memory",
          .source = "Hillis and Steele 1986; GPU Gems 3, ch. 39, listing 39-1; Tutorial 11",
          .improves_on = "quadratic",
          .improved_by = "blelloch",
          .exclusive = true},
    entry{.stem = "brent_kung",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/brent_kung.hpp",
          .sentence = "A reduction tree, then a second tree that distributes its sums to the "
                      "elements between them.",
          .applications = "2n - log2 n - 2",
          .steps = "2 log2 n - 1",
          .traffic = "2n element accesses; 2 log2 n barriers; n = 1024: 277 shared requests, 1192 "
                     "wavefronts",
          .source =
              "Brent and Kung 1982; PMPP 4th ed., ch. 11; ETH Zurich, P&S Heterogeneous Systems",
          .improves_on = "kogge_stone",
          .improved_by = "blelloch",
          .inclusive = true},
    entry{.stem = "blelloch",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/blelloch.hpp",
          .sentence =
              "An up-sweep computes sums, a down-sweep the prefixes, in the combine tree's order.",
          .applications = "2 (n - 1): n - 1 up, n - 1 down",
          .steps = "2 log2 n",
          .traffic = "2n element accesses; 1 + 2 log2 n barriers; n = 1024: 353 shared requests, "
                     "1593 wavefronts",
          .source = "Blelloch 1990; GPU Gems 3, ch. 39, listing 39-2; Tutorial 11",
          .improves_on = "hillis_steele",
          .improved_by = "blelloch_padded",
          .exclusive = true},
    entry{.stem = "blelloch_padded",
          .what = kind::scan,
          .where = scope::block,
          .file = "scan/block/blelloch_padded.hpp",
          .sentence = "An up-sweep and a down-sweep; one unused element after every 32 avoids the "
                      "bank conflicts.",
          .applications = "2 (n - 1)",
          .steps = "2 log2 n",
          .traffic =
              "no bank conflict up to n = 1024 (353 wavefronts); n = 2048: 713 for 673 requests",
          .source = "GPU Gems 3, ch. 39.2.3; Tutorial 11, table 2",
          .improves_on = "blelloch",
          .improved_by = "block_shuffle_scan",
          .exclusive = true},
    entry{.stem = "warp_shuffle_scan",
          .what = kind::scan,
          .where = scope::warp,
          .file = "scan/warp/warp_shuffle_scan.hpp",
          .sentence =
              "A warp scans in registers by five shuffles, without shared memory or barriers.",
          .applications = "129 for 32 elements: 32 log2 32 - 31",
          .steps = "5",
          .traffic = "5 shuffles; 2n element accesses; no barrier",
          .source = "ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum",
          .improves_on = "kogge_stone_double",
          .improved_by = "block_shuffle_scan",
          .inclusive = true},
    entry{.stem = "crossbar_scan",
          .what = kind::scan,
          .where = scope::warp,
          .file = "scan/warp/crossbar_scan.hpp",
          .sentence = "A warp scans over a lane crossbar with valid bits, set to read from earlier "
                      "lanes.",
          .applications = "129 for 32 elements: 32 log2 32 - 31",
          .steps = "5",
          .traffic =
              "5 passes through the crossbar; no barrier, no shared memory, no identity padding",
          .source = "ETH Zurich, P&S Heterogeneous Systems, lecture on prefix sum, \"configurable "
                    "crossbar\"",
          .improves_on = "warp_shuffle_scan",
          .improved_by = "",
          .inclusive = true,
          .emulator_only = true},
    entry{
        .stem = "block_shuffle_scan",
        .what = kind::scan,
        .where = scope::block,
        .file = "scan/block/block_shuffle_scan.hpp",
        .sentence = "Scans the warps, then their aggregates in one warp; a carry passes from tile "
                    "to tile.",
        .applications = "129 (W + 1) + T - 32 per tile of W warps, T more from the second tile on",
        .steps = "11 per tile, 12 from the second tile on",
        .traffic = "5 W + 5 shuffles and 3 barriers per tile; 2N element accesses",
        .source = "ETH Zurich, P&S Heterogeneous Systems, block_scan",
        .improves_on = "warp_shuffle_scan",
        .improved_by = "scan_scan_add",
        .inclusive = true},
    // Scans of a whole array.
    entry{.stem = "scan_scan_add",
          .what = kind::scan,
          .where = scope::device,
          .file = "scan/device/scan_scan_add.hpp",
          .sentence = "Scan the tiles, scan their aggregates, add to every tile its exclusive "
                      "prefix.",
          .applications = "129 (W + 1) + T - 32 per tile of W warps, and N - n to add",
          .steps = "11 per level, and 1 to add",
          .traffic = "4N - 2n element accesses; 3 launches per level",
          .source = "GPU Gems 3, ch. 39.2.4; ETH Zurich, P&S Heterogeneous Systems; Tutorial 11",
          .improves_on = "block_shuffle_scan",
          .improved_by = "reduce_scan_scan",
          .inclusive = true},
    entry{.stem = "reduce_scan_scan",
          .what = kind::scan,
          .where = scope::device,
          .file = "scan/device/reduce_scan_scan.hpp",
          .sentence = "Reduce the tiles, scan their aggregates, then scan every tile starting "
                      "from its exclusive prefix.",
          .applications = "5 T + 160 to reduce and 129 (W + 1) + T - 32 to scan a tile of W warps, "
                          "and N - n for the carries",
          .steps = "10 to reduce and 12 to scan per level",
          .traffic = "3N element accesses; 3 launches per level",
          .source = "Dotsenko et al. 2008; ETH Zurich, P&S Heterogeneous Systems",
          .improves_on = "scan_scan_add",
          .improved_by = "chained_scan",
          .inclusive = true},
    entry{.stem = "chained_scan",
          .what = kind::scan,
          .where = scope::device,
          .file = "scan/device/chained_scan.hpp",
          .sentence = "One launch in which every tile waits for its left neighbor's prefix.",
          .applications =
              "129 (W + 1) + T - 32 per tile of W warps, and T + 1 more from the second tile on",
          .steps = "11 + B: a dependence chain through all tiles",
          .traffic =
              "2N element accesses; 5 W + 5 shuffles per tile: 2880 for 64 tiles of 256; 1 launch",
          .source = "Yan, Long and Zhang 2013; ETH Zurich, P&S Heterogeneous Systems",
          .improves_on = "reduce_scan_scan",
          .improved_by = "decoupled_lookback",
          .inclusive = true},
    entry{
        .stem = "decoupled_lookback",
        .what = kind::scan,
        .where = scope::device,
        .file = "scan/device/decoupled_lookback.hpp",
        .sentence = "Tiles publish aggregates at once, and a warp looks back over 32 tiles at a "
                    "time until it finds a prefix.",
        .applications =
            "129 (W + 1) + T - 32 per tile of W warps, and T + 64 for a tile that looks back once",
        .steps = "depends on the schedule",
        .traffic = "2N element accesses; 8 warp operations per tile if no tile waits: 3293 for 100 "
                   "tiles of 128; 1 launch",
        .source = "Merrill and Garland 2016",
        .improves_on = "chained_scan",
        .improved_by = "tree_lookback",
        .inclusive = true},
    entry{.stem = "tree_lookback",
          .what = kind::scan,
          .where = scope::device,
          .file = "scan/device/tree_lookback.hpp",
          .sentence = "A prefix is combined from aggregates of aligned blocks of tiles, one for "
                      "each 1 bit of the tile's number; results have the bits of blelloch.",
          .applications = "2 (n - 1) per tile of n, and fewer than 2 log2 B for its prefix",
          .steps = "2 log2 n - 1 + 2 log2 B for tiles of n",
          .traffic = "2N element accesses; B aggregates published, one per tile; 1 launch",
          .source = "Upsweep, docs/contracts.md section 2; Fenwick 1994",
          .improves_on = "decoupled_lookback",
          .improved_by = "",
          .inclusive = true},
    entry{.stem = "cluster_scan",
          .what = kind::scan,
          .where = scope::device,
          .file = "scan/device/cluster_scan.hpp",
          .sentence = "Each block of a cluster reads the aggregates of the blocks before it in "
                      "distributed shared memory.",
          .applications =
              "129 (W + 1) + T - 32 per block of W warps, and T + rank - 1 from rank 1 on",
          .steps = "11 per block, C - 1 through the cluster",
          .traffic =
              "28 remote loads per cluster of 8, no aggregate in global memory; 2 cluster barriers",
          .source = "ETH Zurich, P&S Heterogeneous Systems, H100 slide (compute capability 9.0)",
          .improves_on = "block_shuffle_scan",
          .improved_by = "decoupled_lookback",
          .inclusive = true},
    entry{
        .stem = "tasklet_ssa",
        .what = kind::scan,
        .where = scope::device,
        .file = "scan/device/tasklet_ssa.hpp",
        .sentence = "Scan-scan-add on a fine-grained multithreaded core: handshakes pass a "
                    "carry from tasklet to tasklet.",
        .applications = "about 3N: scan, add within a core, add between cores",
        .steps = "47 per round of 256: 15 in the cache, 16 along the neighbors, 16 to add; then 64",
        .traffic = "4N element accesses; 16 notifications and 1 barrier per round; aggregates "
                   "scanned by the host",
        .source = "Gomez-Luna et al. 2022 (PrIM, SCAN-SSA); ETH Zurich, P&S Processing-in-Memory",
        .improves_on = "scan_scan_add",
        .improved_by = "tasklet_rss",
        .inclusive = true},
    entry{.stem = "tasklet_rss",
          .what = kind::scan,
          .where = scope::device,
          .file = "scan/device/tasklet_rss.hpp",
          .sentence = "Reduce-scan-scan on a fine-grained multithreaded core: the first kernel "
                      "only reads, the second starts from its carry.",
          .applications = "about 3N: reduce, scan, add",
          .steps = "79 to reduce a share of 1024; 47 per round to scan",
          .traffic = "3N element accesses; 16 notifications and 1 barrier per round; aggregates "
                     "scanned by the host",
          .source = "Gomez-Luna et al. 2022 (PrIM, SCAN-RSS); ETH Zurich, P&S Processing-in-Memory",
          .improves_on = "tasklet_ssa",
          .improved_by = "",
          .inclusive = true},
};

}  // namespace upsweep::textbook
