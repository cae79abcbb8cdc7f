/// The emulator's counts of the textbook's reductions agree with their headers and pages.
#include <textbook/run_on_sim.hpp>
#include <upsweep/textbook/reduce/block/convergent.hpp>
#include <upsweep/textbook/reduce/block/crossbar_reduce.hpp>
#include <upsweep/textbook/reduce/block/interleaved.hpp>
#include <upsweep/textbook/reduce/block/interleaved_index.hpp>
#include <upsweep/textbook/reduce/block/serial_reduce.hpp>
#include <upsweep/textbook/reduce/block/shared_reduce.hpp>
#include <upsweep/textbook/reduce/block/shuffle_reduce.hpp>
#include <upsweep/textbook/reduce/block/unrolled_warp.hpp>
#include <upsweep/textbook/reduce/block/warp_reduce_sync.hpp>
#include <upsweep/textbook/reduce/device/cluster_reduce.hpp>
#include <upsweep/textbook/reduce/device/coarsened.hpp>
#include <upsweep/textbook/reduce/device/grid_stride.hpp>
#include <upsweep/textbook/reduce/device/last_block.hpp>
#include <upsweep/textbook/reduce/device/partials_on_host.hpp>
#include <upsweep/textbook/reduce/device/segmented_atomic.hpp>
#include <upsweep/textbook/reduce/device/two_pass.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace upsweep::test {
namespace {

using namespace textbook;

/// The report of a sum of n elements.
template <class Plan, class T = float, class... More>
sim::report report_of(std::size_t n, More... more) {
  outcome<T> const got = run_on_sim<Plan>(small_elements<T>(n), 1, plus{}, counted(), more...);
  EXPECT_EQ(findings_of(got.report), "");
  return got.report;
}

/// The launch of the tree, not that of the copy for kernels that overwrite their input.
sim::launch_report tree_of(sim::report const& report) {
  EXPECT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches.front().name, "padded_copy");
  return report.launches.back();
}
sim::launch_report only_launch(sim::report const& report) {
  EXPECT_EQ(report.launches.size(), 1u);
  return report.launches.front();
}

TEST(serial_reduce, applies_the_operator_sequentially) {
  sim::counters const total = only_launch(report_of<serial_reduce_plan<128>>(20000)).total;
  EXPECT_EQ(total.applications, 19999u);
  EXPECT_EQ(total.span, 19999u);
  EXPECT_EQ(total.global_loads, 20000u);
  EXPECT_EQ(total.global_stores, 1u);
  EXPECT_EQ(total.active_lanes, total.steps);
}

TEST(interleaved, has_the_costs_stated_in_the_book) {
  sim::counters const total = tree_of(report_of<interleaved_plan<128>>(256)).total;
  EXPECT_EQ(total.applications, 255u);
  EXPECT_EQ(total.span, 8u);
  EXPECT_EQ(32 * total.operator_steps, 864u);
  EXPECT_EQ(total.lines_loaded + total.lines_stored,
            141u + 2u);  // the tree, then one load and one store of the result
  EXPECT_EQ(total.barriers, 8u);
}

TEST(convergent, has_the_costs_stated_in_the_book) {
  sim::counters const total = tree_of(report_of<convergent_plan<128>>(256)).total;
  EXPECT_EQ(total.applications, 255u);
  EXPECT_EQ(total.span, 8u);
  EXPECT_EQ(32 * total.operator_steps, 384u);
  EXPECT_EQ(total.lines_loaded + total.lines_stored, 36u + 2u);
  EXPECT_EQ(total.barriers, 8u);
}

TEST(interleaved_index, doubles_the_conflict_degree_with_each_step) {
  sim::counters const total = only_launch(report_of<interleaved_index_plan<1024>>(1024)).total;
  EXPECT_EQ(total.applications, 1023u);
  EXPECT_EQ(total.span, 10u);
  EXPECT_EQ(total.global_loads, 1024u);
  EXPECT_EQ(total.global_stores, 1u);
  EXPECT_EQ(total.barriers, 11u);
  // Active warps, and words per bank, in each step; each step has two loads and a store.
  unsigned const warps[] = {16, 8, 4, 2, 1, 1, 1, 1, 1, 1};
  unsigned const degree[] = {2, 4, 8, 16, 32, 16, 8, 4, 2, 1};
  unsigned requests = 32 + 1, wavefronts = 32 + 1;  // the tile is stored, the result loaded
  for (int step = 0; step < 10; ++step) {
    requests += 3 * warps[step];
    wavefronts += 3 * warps[step] * degree[step];
  }
  EXPECT_EQ(requests, 141u);
  EXPECT_EQ(wavefronts, 606u);
  EXPECT_EQ(total.shared_requests, requests);
  EXPECT_EQ(total.shared_wavefronts, wavefronts);
  EXPECT_EQ(total.shared_conflicts, wavefronts - requests);
}

TEST(shared_reduce, reads_global_memory_once_and_has_no_conflicts) {
  sim::counters const total = only_launch(report_of<shared_reduce_plan<128>>(256)).total;
  EXPECT_EQ(total.applications, 255u);
  EXPECT_EQ(total.span, 8u);
  EXPECT_EQ(total.global_loads, 256u);
  EXPECT_EQ(total.global_stores, 1u);
  EXPECT_EQ(total.barriers, 7u);
  EXPECT_EQ(total.shared_requests, 4u + 3u * 8u + 1u);
  EXPECT_EQ(total.shared_conflicts, 0u);
}

TEST(unrolled_warp, saves_five_block_barriers) {
  sim::counters const before = only_launch(report_of<shared_reduce_plan<256>>(512)).total;
  sim::counters const total = only_launch(report_of<unrolled_warp_plan<256>>(512)).total;
  EXPECT_EQ(total.applications, 511u);
  EXPECT_EQ(total.span, 9u);
  EXPECT_EQ(total.barriers, before.barriers - 5);
  EXPECT_EQ(total.warp_syncs, 5u);
  EXPECT_EQ(total.shared_requests, before.shared_requests);
}

TEST(shuffle_reduce, takes_five_shuffles_per_warp_and_five_at_the_end) {
  sim::counters const total = only_launch(report_of<shuffle_reduce_plan<128>>(256)).total;
  EXPECT_EQ(total.applications, 928u);
  EXPECT_EQ(total.span, 11u);
  EXPECT_EQ(total.shuffles, 25u);
  EXPECT_EQ(total.barriers, 1u);
  EXPECT_EQ(total.global_loads, 256u);
  EXPECT_EQ(total.global_stores, 1u);
}

TEST(warp_reduce_sync, takes_one_instruction_per_warp_and_one_at_the_end) {
  auto const report =
      report_of<warp_reduce_sync_plan<128>, std::int32_t>(256, hardware_operation::add);
  sim::counters const total = only_launch(report).total;
  EXPECT_EQ(total.applications, 128u);
  EXPECT_EQ(total.span, 1u);
  EXPECT_EQ(total.votes, 5u);  // warp reductions are counted with the votes
  EXPECT_EQ(total.shuffles, 0u);
  EXPECT_EQ(total.barriers, 1u);
}

TEST(crossbar_reduce, takes_five_passes_and_no_superfluous_application) {
  for (std::size_t const n : {std::size_t{1}, std::size_t{23}, std::size_t{32}}) {
    sim::counters const total = only_launch(report_of<crossbar_reduce_plan<32>>(n)).total;
    EXPECT_EQ(total.applications, n - 1);
    EXPECT_EQ(total.shuffles, 5u);
    EXPECT_EQ(total.barriers + total.warp_syncs + total.shared_requests, 0u);
  }
  EXPECT_EQ(only_launch(report_of<crossbar_reduce_plan<32>>(32)).total.span, 5u);
  auto const prefix =
      run_on_sim<crossbar_prefix_plan>(small_elements<float>(32), 32, plus{}, counted());
  EXPECT_EQ(only_launch(prefix.report).total.applications, 129u);
  EXPECT_EQ(only_launch(prefix.report).total.shuffles, 5u);
}

TEST(segmented_atomic, makes_one_atomic_per_block_with_hardware_addition) {
  std::size_t const n = 8 * 256;
  auto const launch =
      only_launch(report_of<segmented_atomic_plan<128>>(n, hardware_operation::add));
  EXPECT_EQ(launch.total.applications, n - 8);
  EXPECT_EQ(launch.total.atomics, 8u);
  EXPECT_EQ(launch.buffers.at("out").atomics, 8u);
  EXPECT_EQ(launch.buffers.at("in").loads, n);
  sim::counters const swapped = only_launch(report_of<segmented_atomic_plan<128>>(n)).total;
  EXPECT_EQ(swapped.applications, n);
  EXPECT_EQ(swapped.atomics, 16u);  // no contention: one load and one compare-and-swap each
}

TEST(coarsened, divides_blocks_atomics_and_barriers_by_its_factor) {
  std::size_t const n = 32 * 256;
  sim::counters const fine =
      only_launch(report_of<segmented_atomic_plan<128>>(n, hardware_operation::add)).total;
  sim::counters const total =
      only_launch(report_of<coarsened_plan<128>>(n, hardware_operation::add)).total;
  EXPECT_EQ(total.atomics, 8u);
  EXPECT_EQ(4 * total.atomics, fine.atomics);
  EXPECT_EQ(4 * total.barriers, fine.barriers);
  EXPECT_EQ(total.global_loads, n);
  EXPECT_EQ(total.lines_loaded, n * sizeof(float) / 128);
  EXPECT_EQ(total.applications, n - 8);
  EXPECT_EQ(total.span, 2u * 4u - 1u + 7u);
}

TEST(partials_on_host, stores_one_partial_per_block) {
  auto const launch = only_launch(report_of<partials_on_host_plan<128>>(8 * 256));
  EXPECT_EQ(launch.total.global_loads, 8u * 256u);
  EXPECT_EQ(launch.buffers.at("partials").stores, 8u);
  EXPECT_EQ(launch.total.global_stores, 8u);
  EXPECT_EQ(launch.total.applications, 8u * 928u);
}

TEST(two_pass, takes_two_launches_and_stores_and_loads_each_partial_once) {
  std::size_t const n = 8 * 512;
  auto const report = report_of<two_pass_plan<128>>(n);
  ASSERT_EQ(report.launches.size(), 2u);
  auto const& [first, second] = std::tie(report.launches[0], report.launches[1]);
  EXPECT_EQ(first.buffers.at("in").loads, n);
  EXPECT_EQ(first.buffers.at("partials").stores, 8u);
  EXPECT_EQ(second.buffers.at("partials").loads, 8u);
  EXPECT_EQ(second.buffers.at("out").stores, 1u);
  EXPECT_EQ(first.total.applications, 8u * (128u * 8u + 160u));
  EXPECT_EQ(first.total.span, 4u + 9u);
  EXPECT_EQ(second.total.span, 1u + 9u);
  EXPECT_EQ(first.total.lines_loaded,
            4 * n * sizeof(float) / 128);  // the price of consecutive items
}

TEST(grid_stride, loads_whole_lines_and_makes_at_most_one_partial_per_block) {
  std::size_t const n = 8 * 512;
  auto const report = report_of<grid_stride_plan<128>>(n);
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].buffers.at("in").loads, n);
  EXPECT_EQ(report.launches[0].total.lines_loaded, n * sizeof(float) / 128);
  EXPECT_EQ(report.launches[0].total.applications, n + 8u * (4u * 128u + 160u));
  EXPECT_EQ(report.launches[0].total.span, 4u + 9u);
  EXPECT_EQ(report.launches[1].buffers.at("partials").loads, 8u);
  auto const large = report_of<grid_stride_plan<32>>(200000);
  EXPECT_EQ(large.launches[0].buffers.at("partials").stores, 1056u);
}

TEST(last_block, takes_one_launch_and_one_ticket_per_block) {
  std::size_t const n = 8 * 512;
  auto const launch = only_launch(report_of<last_block_plan<128>>(n));
  EXPECT_EQ(launch.buffers.at("in").loads, n);
  EXPECT_EQ(launch.buffers.at("partials").stores, 8u);
  EXPECT_EQ(launch.buffers.at("partials").loads, 8u);
  EXPECT_EQ(launch.buffers.at("tickets").atomics, 8u);
  EXPECT_EQ(launch.buffers.at("out").stores, 1u);
  EXPECT_EQ(launch.total.fences, 16u);
  EXPECT_EQ(launch.total.span, (4u + 9u) + (1u + 9u));
}

TEST(cluster_reduce, stores_no_partials_inside_a_cluster) {
  auto const launch = only_launch(report_of<cluster_reduce_plan<128>>(8 * 256));
  EXPECT_EQ(launch.total.global_stores, 1u);
  EXPECT_EQ(launch.total.global_loads, 8u * 256u);
  EXPECT_EQ(launch.buffers.count("totals"), 0u);
  EXPECT_EQ(launch.total.cluster_barriers, 2u);
  EXPECT_EQ(launch.total.applications, 8u * 928u + 7u);
  EXPECT_EQ(launch.total.span, 11u + 7u);
  auto const two_clusters = report_of<cluster_reduce_plan<128>>(16 * 256);
  EXPECT_EQ(two_clusters.launches[0].buffers.at("totals").stores, 2u);
}

TEST(cluster_reduce, and_last_block_cost_the_same_on_every_schedule) {
  std::vector<float> const in = small_elements<float>(5000);
  auto const cluster =
      run_on_sim<cluster_reduce_plan<128>>(in, 1, plus{}, counted()).report.total();
  auto const last = run_on_sim<last_block_plan<128>>(in, 1, plus{}, counted()).report.total();
  for (scheduled const& s : every_schedule()) {
    EXPECT_EQ(
        run_on_sim<cluster_reduce_plan<128>>(in, 1, plus{}, options_of(s, true)).report.total(),
        cluster)
        << s;
    EXPECT_EQ(run_on_sim<last_block_plan<128>>(in, 1, plus{}, options_of(s, true)).report.total(),
              last)
        << s;
  }
}

}  // namespace
}  // namespace upsweep::test
