/// The costs of the textbook's scans, as their pages and the catalog state them: closed forms, and
/// figures from the literature at n = 1024; and of scans of whole arrays the memory traffic and
/// waiting: 4N, 3N, 2N, shuffles, published totals.
#include <textbook/run_on_sim.hpp>
#include <upsweep/textbook/scan/block/blelloch.hpp>
#include <upsweep/textbook/scan/block/blelloch_padded.hpp>
#include <upsweep/textbook/scan/block/block_shuffle_scan.hpp>
#include <upsweep/textbook/scan/block/brent_kung.hpp>
#include <upsweep/textbook/scan/block/hillis_steele.hpp>
#include <upsweep/textbook/scan/block/kogge_stone.hpp>
#include <upsweep/textbook/scan/block/kogge_stone_double.hpp>
#include <upsweep/textbook/scan/block/kogge_stone_global.hpp>
#include <upsweep/textbook/scan/block/quadratic.hpp>
#include <upsweep/textbook/scan/block/serial_scan.hpp>
#include <upsweep/textbook/scan/device/chained_scan.hpp>
#include <upsweep/textbook/scan/device/cluster_scan.hpp>
#include <upsweep/textbook/scan/device/decoupled_lookback.hpp>
#include <upsweep/textbook/scan/device/reduce_scan_scan.hpp>
#include <upsweep/textbook/scan/device/scan_scan_add.hpp>
#include <upsweep/textbook/scan/device/tasklet_rss.hpp>
#include <upsweep/textbook/scan/device/tasklet_ssa.hpp>
#include <upsweep/textbook/scan/device/tree_lookback.hpp>
#include <upsweep/textbook/scan/warp/crossbar_scan.hpp>
#include <upsweep/textbook/scan/warp/warp_shuffle_scan.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

using namespace textbook;

/// The counts of a scan of n floats that takes one launch; also checks its values.
template <class Plan>
[[nodiscard]] sim::launch_report only_launch(std::size_t n) {
  std::vector<float> const in = small_elements<float>(n);
  outcome<float> const got = run_on_sim<Plan>(in, n, plus{}, counted());
  EXPECT_EQ(first_difference(got.values, expected_scan<Plan::exclusive>(in, plus{})), "");
  EXPECT_EQ(findings_of(got.report), "");
  EXPECT_EQ(got.report.launches.size(), 1u);
  return got.report.launches.at(0);
}

/// Expects that every element is loaded once and stored once; exclusive loads omit the last one.
template <class Plan>
[[nodiscard]] sim::counters cost_of_tile(std::size_t n, std::size_t loads) {
  sim::counters const cost = only_launch<Plan>(n).total;
  EXPECT_EQ(cost.global_loads, loads);
  EXPECT_EQ(cost.global_stores, n);
  return cost;
}

TEST(serial_scan, applies_the_operator_n_minus_1_times_sequentially) {
  for (auto const& launch : {only_launch<serial_scan_plan<128, false>>(500),
                             only_launch<serial_scan_plan<128, true>>(500)}) {
    EXPECT_EQ(launch.total.applications, 499u);
    EXPECT_EQ(launch.total.span, 499u);
    EXPECT_EQ(launch.total.global_loads, 500u);
    EXPECT_EQ(launch.total.global_stores, 500u);
    EXPECT_EQ(launch.total.active_lanes, launch.total.steps);
  }
}

TEST(quadratic, applies_the_operator_n_times_n_minus_1_over_2_times) {
  sim::counters const cost = only_launch<quadratic_plan<256>>(256).total;
  EXPECT_EQ(cost.applications, 256u * 255 / 2);
  EXPECT_EQ(cost.span, 255u);
  EXPECT_EQ(cost.global_loads, 256u * 257 / 2);
  EXPECT_EQ(cost.barriers, 0u);
}

TEST(kogge_stone_global, takes_every_operand_from_global_memory) {
  sim::launch_report const launch = only_launch<kogge_stone_global_plan<256>>(256);
  std::size_t const applications = 256 * 8 - 255;
  EXPECT_EQ(launch.total.applications, applications);
  EXPECT_EQ(launch.total.span, 8u);
  EXPECT_EQ(launch.total.barriers, 17u);
  EXPECT_EQ(launch.buffers.at("in").loads, 256u);
  EXPECT_EQ(launch.buffers.at("out").loads, 2 * applications);
  EXPECT_EQ(launch.buffers.at("out").stores, 256 + applications);
}

TEST(kogge_stone, costs_9217_applications_10_steps_and_21_barriers_for_1024_elements) {
  for (auto const& cost : {cost_of_tile<kogge_stone_plan<1024, false>>(1024, 1024),
                           cost_of_tile<kogge_stone_plan<1024, true>>(1024, 1023)}) {
    EXPECT_EQ(cost.applications, 9217u);
    EXPECT_EQ(cost.span, 10u);
    EXPECT_EQ(cost.barriers, 21u);
    EXPECT_EQ(cost.shared_conflicts, 0u);
  }
}

TEST(kogge_stone_double, saves_10_of_21_barriers) {
  sim::counters const cost = cost_of_tile<kogge_stone_double_plan<1024>>(1024, 1024);
  EXPECT_EQ(cost.applications, 9217u);
  EXPECT_EQ(cost.span, 10u);
  EXPECT_EQ(cost.barriers, 11u);
  EXPECT_EQ(cost.shared_conflicts, 0u);
}

TEST(hillis_steele, has_the_costs_of_kogge_stone_with_two_buffers) {
  sim::counters const cost = cost_of_tile<hillis_steele_plan<1024>>(1024, 1023);
  EXPECT_EQ(cost.applications, 9217u);
  EXPECT_EQ(cost.span, 10u);
  EXPECT_EQ(cost.barriers, 11u);
}

TEST(brent_kung, costs_2036_applications_and_19_steps_for_1024_elements) {
  sim::counters const cost = cost_of_tile<brent_kung_plan<512>>(1024, 1024);
  EXPECT_EQ(cost.applications, 2036u);
  EXPECT_EQ(cost.span, 19u);
  EXPECT_EQ(cost.barriers, 20u);
  EXPECT_EQ(cost.shared_requests, 277u);
  EXPECT_EQ(cost.shared_wavefronts, 1192u);
  EXPECT_EQ(cost.shared_conflicts, 915u);
}

TEST(blelloch, costs_1023_applications_up_and_1023_down_for_1024_elements) {
  sim::counters const cost = cost_of_tile<blelloch_plan<512>>(1024, 1024);
  EXPECT_EQ(cost.applications, 2046u);
  EXPECT_EQ(cost.span, 20u);
  EXPECT_EQ(cost.barriers, 21u);
  EXPECT_EQ(cost.shared_requests, 353u);
  EXPECT_EQ(cost.shared_wavefronts, 1593u);
  sim::counters const twice = cost_of_tile<blelloch_plan<1024>>(2048, 2048);
  EXPECT_EQ(twice.shared_requests, 673u);
  EXPECT_EQ(twice.shared_wavefronts, 3193u);
}

TEST(blelloch_padded, has_no_bank_conflict_up_to_1024_elements_and_40_at_2048) {
  sim::counters const cost = cost_of_tile<blelloch_padded_plan<512>>(1024, 1024);
  EXPECT_EQ(cost.applications, 2046u);
  EXPECT_EQ(cost.span, 20u);
  EXPECT_EQ(cost.shared_requests, 353u);
  EXPECT_EQ(cost.shared_wavefronts, 353u);
  EXPECT_EQ(cost.shared_conflicts, 0u);
  sim::counters const twice = cost_of_tile<blelloch_padded_plan<1024>>(2048, 2048);
  EXPECT_EQ(twice.shared_requests, 673u);
  EXPECT_EQ(twice.shared_wavefronts, 713u);
}

TEST(warp_shuffle_scan, takes_five_shuffles_per_warp) {
  sim::counters const cost = cost_of_tile<warp_shuffle_scan_plan<32>>(32, 32);
  EXPECT_EQ(cost.applications, 32u * 5 - 31);
  EXPECT_EQ(cost.span, 5u);
  EXPECT_EQ(cost.shuffles, 5u);
  EXPECT_EQ(cost.barriers, 0u);
  EXPECT_EQ(cost.shared_requests, 0u);
}

TEST(crossbar_scan, takes_five_passes_and_no_superfluous_application) {
  sim::counters const cost = cost_of_tile<crossbar_scan_plan<32>>(32, 32);
  EXPECT_EQ(cost.applications, 32u * 5 - 31);
  EXPECT_EQ(cost.span, 5u);
  EXPECT_EQ(cost.shuffles, 5u);
  EXPECT_EQ(cost.barriers + cost.shared_requests, 0u);
  // Of 20 elements: no application for lanes past the end.
  EXPECT_EQ(cost_of_tile<crossbar_scan_plan<32>>(20, 20).applications, 19u + 18 + 16 + 12 + 4);
}

TEST(block_shuffle_scan, takes_five_shuffles_per_warp_and_five_for_the_totals) {
  sim::counters const cost = cost_of_tile<block_shuffle_scan_plan<256>>(4 * 256, 4 * 256);
  EXPECT_EQ(cost.shuffles, 4u * 45);
  EXPECT_EQ(cost.barriers, 4u * 3);
  EXPECT_EQ(cost.applications, 4u * (129 * 9 + 256 - 32) + 3 * 256);
  EXPECT_EQ(cost.span, 11u + 3 * 12);
}

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
