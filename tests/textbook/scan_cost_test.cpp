/// The costs of the textbook's scans, as their pages and the catalog state them: closed forms, and
/// figures from the literature at n = 1024.
#include <textbook/scan_agreement.hpp>
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
#include <upsweep/textbook/scan/warp/crossbar_scan.hpp>
#include <upsweep/textbook/scan/warp/warp_shuffle_scan.hpp>

#include <cstddef>
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

}  // namespace
}  // namespace upsweep::test
