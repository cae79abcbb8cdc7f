/// The textbook's scans, and which of them have the bits of the combine tree.
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

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

// The textbook's scans on the emulator: any size, every schedule, the reference's values, no
// finding.

using namespace textbook;

template <int threads>
using serial_inclusive = serial_scan_plan<threads, false>;
template <int threads>
using serial_exclusive = serial_scan_plan<threads, true>;
template <int threads>
using kogge_stone_inclusive = kogge_stone_plan<threads, false>;
template <int threads>
using kogge_stone_exclusive = kogge_stone_plan<threads, true>;

TEST(serial_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<serial_inclusive>();
  expect_scans_everything<serial_exclusive>();
}
TEST(quadratic, agrees_with_the_reference_everywhere) {
  expect_scans_everything<quadratic_plan>();
}
TEST(kogge_stone_global, agrees_with_the_reference_everywhere) {
  expect_scans_everything<kogge_stone_global_plan>();
}
TEST(kogge_stone, agrees_with_the_reference_everywhere) {
  expect_scans_everything<kogge_stone_inclusive>();
}
TEST(kogge_stone, agrees_with_the_reference_everywhere_in_its_exclusive_form) {
  expect_scans_everything<kogge_stone_exclusive>();
}
TEST(kogge_stone_double, agrees_with_the_reference_everywhere) {
  expect_scans_everything<kogge_stone_double_plan>();
}
TEST(hillis_steele, agrees_with_the_reference_everywhere) {
  expect_scans_everything<hillis_steele_plan>();
}
TEST(brent_kung, agrees_with_the_reference_everywhere) {
  expect_scans_everything<brent_kung_plan>();
}
TEST(blelloch, agrees_with_the_reference_everywhere) {
  expect_scans_everything<blelloch_plan>();
}
TEST(blelloch_padded, agrees_with_the_reference_everywhere) {
  expect_scans_everything<blelloch_padded_plan>();
}
TEST(crossbar_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<crossbar_scan_plan>();
}

TEST(warp_shuffle_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<warp_shuffle_scan_plan>();
}
TEST(block_shuffle_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<block_shuffle_scan_plan>();
}

template <int threads>
using totals_by_recursion = scan_scan_add_plan<threads, totals_by::recursion>;
template <int threads>
using totals_by_host = scan_scan_add_plan<threads, totals_by::host>;

TEST(scan_scan_add, agrees_with_the_reference_everywhere) {
  expect_scans_everything<totals_by_recursion>();
}
TEST(scan_scan_add, agrees_with_the_reference_when_the_host_scans_the_totals) {
  expect_scans_everything<totals_by_host>();
}
TEST(reduce_scan_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<reduce_scan_scan_plan>();
}
TEST(chained_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<chained_scan_plan>();
}
TEST(decoupled_lookback, agrees_with_the_reference_everywhere) {
  expect_scans_everything<decoupled_lookback_plan>();
}
TEST(tree_lookback, agrees_with_the_reference_everywhere) {
  expect_scans_everything<tree_lookback_plan>();
}
TEST(cluster_scan, agrees_with_the_reference_everywhere) {
  expect_scans_everything<cluster_scan_plan>();
}
TEST(tasklet_ssa, agrees_with_the_reference_everywhere) {
  expect_scans_everything<tasklet_ssa_plan>();
}
TEST(tasklet_rss, agrees_with_the_reference_everywhere) {
  expect_scans_everything<tasklet_rss_plan>();
}

/// 64 blocks that all wait for each other, and a look-back of several windows, on many schedules.
template <class Plan>
void expect_scans_on_many_random_schedules() {
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (unsigned const resident : {2u, 7u, 64u})
      expect_scans<Plan, map32>(100 * Plan::tile + 17, affine{},
                                {sim::schedule::random, seed, resident});
}
TEST(chained_scan, waits_only_for_blocks_that_have_started) {
  expect_scans_on_many_random_schedules<chained_scan_plan<128>>();
}
TEST(decoupled_lookback, waits_only_for_blocks_that_have_started) {
  expect_scans_on_many_random_schedules<decoupled_lookback_plan<128>>();
}
TEST(tree_lookback, waits_only_for_blocks_that_have_started) {
  expect_scans_on_many_random_schedules<tree_lookback_plan<128>>();
}

TEST(whole_array_scans, reach_a_million_elements) {
  std::size_t const n = (std::size_t{1} << 20) + 7;
  expect_scans<totals_by_recursion<256>, std::int32_t>(n, plus{});
  expect_scans<tree_lookback_plan<256>, std::int32_t>(n, plus{});
}

/// The plans promise independent blocks where that is so; the emulator then uses several threads of
/// the host, and would report a lie.
template <class Plan>
void expect_independent_blocks() {
  std::vector<map32> const in = small_elements<map32>(20011);
  sim::options options = options_of({});
  options.threads = 2;
  outcome<map32> const got = run_on_sim<Plan>(in, in.size(), affine{}, options);
  EXPECT_EQ(first_difference(got.values, expected_scan<Plan::exclusive>(in, affine{})), "");
  EXPECT_EQ(findings_of(got.report), "");
}

TEST(independent_blocks, are_promised_only_where_no_block_reads_what_another_writes) {
  expect_independent_blocks<totals_by_recursion<128>>();
  expect_independent_blocks<reduce_scan_scan_plan<128>>();
  expect_independent_blocks<tasklet_ssa_plan<128>>();
  expect_independent_blocks<tasklet_rss_plan<128>>();
  expect_independent_blocks<cluster_scan_plan<128>>();
  expect_independent_blocks<tree_lookback_plan<128>>();
}

/// An operator with its operands swapped, as a kernel with a mistake would apply it.
struct swapped_affine : affine {
  template <class T>
  [[nodiscard]] constexpr affine_map<T> operator()(affine_map<T> const& earlier,
                                                   affine_map<T> const& later) const {
    return affine::operator()(later, earlier);
  }
};

TEST(scan_agreement, notices_operands_that_change_places) {
  std::vector<map32> const in = small_elements<map32>(300);
  outcome<map32> const got =
      run_on_sim<chained_scan_plan<128>>(in, in.size(), swapped_affine{}, options_of({}));
  EXPECT_NE(first_difference(got.values, expected_scan<false>(in, affine{})), "");
}

// Which scans of the textbook have the bits of the combine tree, on floats for which hardly any
// other grouping gives the same bits.

using namespace textbook;

enum class zeros { kept, replaced };

/// Both signs and 41 binades. The inputs of blelloch have no zeros: it adds the identity, +0, which
/// turns -0 into +0.
[[nodiscard]] std::vector<float> scattered_floats(std::size_t n, std::uint64_t seed,
                                                  zeros with = zeros::kept) {
  random_bits next(seed);
  std::vector<float> x(n);
  for (float& value : x) {
    value = scattered_float(next);
    if (with == zeros::replaced && value == 0) value = 0.3f;
  }
  return x;
}

template <class Plan>
void expect_tree_bits(std::vector<float> const& in, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "n = " << in.size() << ", " << s);
  outcome<float> const got = run_on_sim<Plan>(in, in.size(), plus{}, options_of(s));
  EXPECT_EQ(first_difference(got.values, expected_scan<Plan::exclusive>(in, plus{})), "")
      << seed_note();
}

TEST(blelloch, has_the_bits_of_the_combine_tree_in_one_tile) {
  for (std::size_t const n : {1u, 2u, 3u, 7u, 31u, 100u, 255u, 256u}) {
    expect_tree_bits<blelloch_plan<128>>(scattered_floats(n, test_seed() + n, zeros::replaced));
    expect_tree_bits<blelloch_padded_plan<128>>(
        scattered_floats(n, test_seed() + n, zeros::replaced));
  }
}

TEST(tree_lookback, has_the_bits_of_the_combine_tree_at_any_size) {
  for (std::size_t const n : {1u, 2u, 3u, 7u, 31u, 100u, 255u, 256u, 257u, 511u, 512u, 513u,
                              600u})  // by reference.hpp itself
    expect_tree_bits<tree_lookback_plan<128>>(scattered_floats(n, test_seed() + n));
  for (std::size_t const n : {1023u, 1025u, 4096u, 16383u, 20011u, 70001u})
    expect_tree_bits<tree_lookback_plan<128>>(scattered_floats(n, test_seed() + n));
}

TEST(tree_lookback, has_the_same_bits_for_other_tiles) {
  std::vector<float> const in = scattered_floats(20011, test_seed());
  expect_tree_bits<tree_lookback_plan<256>>(in);
  expect_tree_bits<tree_lookback_plan<512>>(in);
}

TEST(tree_lookback, has_the_same_bits_on_every_schedule) {
  std::vector<float> const in = scattered_floats(20011, test_seed());
  for (scheduled const& s : every_schedule()) expect_tree_bits<tree_lookback_plan<128>>(in, s);
}

TEST(tree_lookback, keeps_sums_of_negative_zero) {
  for (std::size_t const n : {1u, 2u, 300u, 1000u})
    expect_tree_bits<tree_lookback_plan<128>>(std::vector<float>(n, -0.0f));
}

TEST(tree_bits, distinguish_scans_with_another_grouping) {
  std::vector<float> const in = scattered_floats(20011, test_seed());
  std::vector<float> const tree = expected_scan<false>(in, plus{});
  EXPECT_NE(
      first_difference(
          run_on_sim<scan_scan_add_plan<128>>(in, in.size(), plus{}, options_of({})).values, tree),
      "");
  EXPECT_NE(
      first_difference(
          run_on_sim<decoupled_lookback_plan<128>>(in, in.size(), plus{}, options_of({})).values,
          tree),
      "");
}

}  // namespace
}  // namespace upsweep::test
