/// Which scans of the textbook have the bits of the combine tree, on floats for which hardly any
/// other grouping gives the same bits.
#include <textbook/scan_agreement.hpp>
#include <upsweep/textbook/scan/block/blelloch.hpp>
#include <upsweep/textbook/scan/block/blelloch_padded.hpp>
#include <upsweep/textbook/scan/device/decoupled_lookback.hpp>
#include <upsweep/textbook/scan/device/scan_scan_add.hpp>
#include <upsweep/textbook/scan/device/tree_lookback.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

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
