/// Memory traffic and waiting of the textbook's scans of whole arrays: 4N, 3N, 2N, shuffles,
/// published totals.
#include <textbook/scan_agreement.hpp>
#include <upsweep/textbook/scan/device/chained_scan.hpp>
#include <upsweep/textbook/scan/device/cluster_scan.hpp>
#include <upsweep/textbook/scan/device/decoupled_lookback.hpp>
#include <upsweep/textbook/scan/device/reduce_scan_scan.hpp>
#include <upsweep/textbook/scan/device/scan_scan_add.hpp>
#include <upsweep/textbook/scan/device/tasklet_rss.hpp>
#include <upsweep/textbook/scan/device/tasklet_ssa.hpp>
#include <upsweep/textbook/scan/device/tree_lookback.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

using namespace textbook;

/// The report of a scan of n floats, by default one block after the other; also checks its values.
template <class Plan>
[[nodiscard]] sim::report report_of(std::size_t n,
                                    scheduled const& s = {sim::schedule::in_order, 0, 1}) {
  std::vector<float> const in = small_elements<float>(n);
  outcome<float> const got = run_on_sim<Plan>(in, n, plus{}, options_of(s, true));
  EXPECT_EQ(first_difference(got.values, expected_scan<false>(in, plus{})), "");
  EXPECT_EQ(findings_of(got.report), "");
  return got.report;
}

/// Loads and stores of the buffers `in` and `out` over all launches.
[[nodiscard]] std::uint64_t element_accesses(sim::report const& report) {
  std::uint64_t accesses = 0;
  for (auto const& launch : report.launches)
    for (char const* const name : {"in", "out"})
      if (auto const found = launch.buffers.find(name); found != launch.buffers.end())
        accesses += found->second.loads + found->second.stores;
  return accesses;
}

/// The operator's calls in block_scan: one scan per warp, one of the warps' totals, and the carries
/// of all warps but the first.
[[nodiscard]] constexpr std::uint64_t applications_of_block_scan(std::uint64_t threads) {
  return 129 * (threads / 32 + 1) + threads - 32;
}

TEST(scan_scan_add, moves_4n_elements_less_two_tiles) {
  std::size_t const tile = 256, n = 64 * tile;
  sim::report const report = report_of<scan_scan_add_plan<256>>(n);
  EXPECT_EQ(element_accesses(report), 4 * n - 2 * tile);
  EXPECT_EQ(report.launches.size(), 3u);
  EXPECT_EQ(report.total().applications, 65 * applications_of_block_scan(tile) + n - tile);
  EXPECT_EQ(report.total().span, 11u + 11 + 1);
}

TEST(scan_scan_add, moves_as_much_when_the_host_scans_the_totals) {
  std::size_t const tile = 256, n = 64 * tile;
  sim::report const report = report_of<scan_scan_add_plan<256, totals_by::host>>(n);
  EXPECT_EQ(element_accesses(report), 4 * n - 2 * tile);
  EXPECT_EQ(report.launches.size(), 2u);
}

TEST(reduce_scan_scan, moves_3n_elements) {
  std::size_t const tile = 256, n = 64 * tile;
  sim::report const report = report_of<reduce_scan_scan_plan<256>>(n);
  EXPECT_EQ(element_accesses(report), 3 * n);
  EXPECT_EQ(report.launches.size(), 3u);
}

TEST(chained_scan, moves_2n_elements_with_45_shuffles_per_tile) {
  std::size_t const tile = 256, tiles = 64, n = tiles * tile;
  for (scheduled const& s : every_schedule()) {
    SCOPED_TRACE(testing::Message() << s);
    sim::report const report = report_of<chained_scan_plan<256>>(n, s);
    EXPECT_EQ(element_accesses(report), 2 * n);
    ASSERT_EQ(report.launches.size(), 1u);
    sim::launch_report const& launch = report.launches[0];
    EXPECT_EQ(launch.total.shuffles, 2880u);
    EXPECT_EQ(launch.total.applications,
              tiles * applications_of_block_scan(tile) + (tiles - 1) * (tile + 1));
    EXPECT_EQ(launch.buffers.at("carries").stores, tiles);
    EXPECT_EQ(launch.buffers.at("carries").loads, tiles - 1);
    EXPECT_EQ(launch.total.span, 11 + tiles) << "the chain goes through all tiles";
  }
}

TEST(decoupled_lookback, takes_3293_warp_operations_for_100_tiles_of_128_if_no_tile_waits) {
  std::size_t const tile = 128, tiles = 100, n = tiles * tile;
  sim::report const report = report_of<decoupled_lookback_plan<128>>(n);
  EXPECT_EQ(element_accesses(report), 2 * n);
  ASSERT_EQ(report.launches.size(), 1u);
  sim::launch_report const& launch = report.launches[0];
  EXPECT_EQ(launch.total.shuffles + launch.total.votes, 3293u);
  EXPECT_EQ(launch.buffers.at("totals").stores, tiles - 1);
  EXPECT_EQ(launch.buffers.at("prefixes").stores, tiles);
  EXPECT_EQ(launch.total.applications,
            tiles * applications_of_block_scan(tile) + (tiles - 1) * (tile + 64));
}

TEST(decoupled_lookback, moves_2n_elements_however_far_it_looks_back) {
  std::size_t const n = 100 * 128;
  for (scheduled const& s : every_schedule())
    EXPECT_EQ(element_accesses(report_of<decoupled_lookback_plan<128>>(n, s)), 2 * n) << s;
}

TEST(tree_lookback, moves_2n_elements_and_publishes_one_total_per_tile_on_every_schedule) {
  constexpr std::size_t tile = 256, tiles = 100, n = tiles * tile;
  std::uint64_t totals = 0,
                applications =
                    tiles * 2 * (tile - 1) -
                    8;  // in tile 0 the left edge of the down-sweep applies nothing, on 8 levels
  for (std::size_t j = 0; j < tiles; ++j) {
    auto const digits = static_cast<std::uint64_t>(std::popcount(j)),
               merged = static_cast<std::uint64_t>(std::countr_zero(j + 1));
    totals += digits;
    applications += merged;                      // the total that it publishes
    if (digits > 0) applications += digits - 1;  // its exclusive prefix
    if (digits > merged) applications += 1;      // and that of its right neighbor
  }
  for (scheduled const& s : every_schedule()) {
    SCOPED_TRACE(testing::Message() << s);
    sim::report const report = report_of<tree_lookback_plan<128>>(n, s);
    EXPECT_EQ(element_accesses(report), 2 * n);
    ASSERT_EQ(report.launches.size(), 1u);
    sim::launch_report const& launch = report.launches[0];
    EXPECT_EQ(launch.buffers.at("totals").stores, tiles);
    EXPECT_EQ(launch.buffers.at("totals").loads, totals);
    EXPECT_EQ(launch.total.applications, applications);
    EXPECT_EQ(launch.total.shuffles + launch.total.votes, 0u);
  }
}

TEST(tree_lookback, waits_for_a_chain_of_at_most_log2_tiles_totals) {
  for (std::size_t const tiles : {16u, 64u, 256u}) {
    auto const depth = static_cast<std::uint64_t>(std::countr_zero(tiles));
    sim::counters const cost = report_of<tree_lookback_plan<32>>(tiles * 64).launches.at(0).total;
    EXPECT_EQ(cost.span, 2 * 6 - 1 + 2 * depth)
        << tiles << " tiles";  // both sweeps, the published totals, the prefix from the digits
    EXPECT_EQ(cost.barriers, tiles * (2 * 6 + 3));
  }
}

TEST(cluster_scan, keeps_its_totals_in_distributed_shared_memory) {
  std::size_t const threads = 128, n = 8 * threads;
  sim::report const report = report_of<cluster_scan_plan<128>>(n);
  ASSERT_EQ(report.launches.size(), 1u);
  sim::counters const& cost = report.launches[0].total;
  EXPECT_EQ(cost.cluster_barriers, 2u);
  EXPECT_EQ(cost.global_loads, n);
  EXPECT_EQ(cost.global_stores, n);
  EXPECT_EQ(cost.shuffles, 8u * 25);
  EXPECT_EQ(cost.applications, 8 * applications_of_block_scan(threads) + 7 * threads + 21);
  EXPECT_EQ(cost.shared_loads,
            8u * (4 + 96) + 28 + 7 * threads);  // block_scan, 28 from other blocks, the carry
}

TEST(tasklet_ssa, moves_4n_elements_through_main_memory) {
  std::size_t const cores = 4, n = cores * core_shape::share;
  sim::report const report = report_of<tasklet_ssa_plan<128>>(n);
  EXPECT_EQ(element_accesses(report), 4 * n);
  ASSERT_EQ(report.launches.size(), 2u);
  sim::counters const& scan = report.launches[0].total;
  EXPECT_EQ(scan.barriers, cores * (1 + core_shape::rounds));
  EXPECT_EQ(scan.applications, cores * (64 * 15 + 63 + 1024 - 16));
  EXPECT_EQ(scan.span, 46u + 3 * 47);  // 15 in the cache, 16 along the neighbors, 16 to add;
                                       // tasklet 0 has no carry
  EXPECT_EQ(report.launches[1].total.applications, n);
}

TEST(tasklet_rss, moves_3n_elements_through_main_memory) {
  std::size_t const cores = 4, n = cores * core_shape::share;
  sim::report const report = report_of<tasklet_rss_plan<128>>(n);
  EXPECT_EQ(element_accesses(report), 3 * n);
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].total.barriers, cores);
  EXPECT_EQ(report.launches[0].total.applications, cores * (1024 + 15));
  EXPECT_EQ(report.launches[0].total.span, 64u + 15);
  EXPECT_EQ(report.launches[1].total.barriers, cores * (1 + core_shape::rounds));
  EXPECT_EQ(report.launches[1].total.applications, cores * 2048 - 17);
}

}  // namespace
}  // namespace upsweep::test
