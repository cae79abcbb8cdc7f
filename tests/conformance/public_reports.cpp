/// Public reports on reductions, scans, runs and quantiles of other libraries, each named, with
/// the right results.
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

/// NVIDIA/thrust#550: the key of a run was its last one, where the predicate takes others as equal.
TEST(reports, reduce_runs_stores_the_first_key_of_a_run) {
  std::vector<int> const keys{-3, 3, -3, 2, -2, 7}, x{1, 2, 3, 4, 5, 6};
  std::vector<int> to(3), sums(3);
  auto const same_size = [](int a, int b) { return std::abs(a) == std::abs(b); };
  EXPECT_EQ(3u, reduce_runs(keys, x, to, sums, plus{}, same_size));
  EXPECT_EQ((std::vector{-3, 2, 7}), to);
  EXPECT_EQ((std::vector{6, 9, 6}), sums);
}

/// NVIDIA/thrust#464: the operator was called with values of two keys.
TEST(reports, operators_of_runs_meet_values_of_one_key) {
  struct value {
    float x;
    int key;
  };
  for (int runs = 1; runs < 100; ++runs) {
    std::vector<int> keys;
    std::vector<value> x;
    for (int i = 0; i < 5 * runs; ++i) keys.push_back(i / 5), x.push_back({float(i), i / 5});
    std::vector<int> to(keys.size());
    std::vector<value> sums(keys.size());
    auto const sum = [](value const& a, value const& b) {
      EXPECT_EQ(a.key, b.key);
      return value{a.x + b.x, a.key};
    };
    ASSERT_EQ(std::size_t(runs), reduce_runs(cpu{.threads = 3}, keys, x, to, sums, sum));
    for (int r = 0; r < runs; ++r) EXPECT_EQ(float(25 * r + 10), sums[std::size_t(r)].x);
  }
}

/// TheHPXProject/hpx#1390: the initial value was added once for each chunk.
TEST(reports, initial_values_count_once) {
  std::vector<int> const x{1, 1, 2, 2, 3, 3, 4, 4};
  std::vector<int> out(8);
  inclusive_scan(cpu{.threads = 4}, x, out, plus{}, {.initial = 100});
  EXPECT_EQ((std::vector{101, 102, 104, 106, 109, 112, 116, 120}), out);
  scan_stream<int> chunks(options<std::int64_t>{.initial = 100});
  for (std::size_t i = 0; i < 8; i += 2)
    chunks.inclusive(std::array{x[i], x[i + 1]}, std::span(out).subspan(i, 2));
  EXPECT_EQ((std::vector{101, 102, 104, 106, 109, 112, 116, 120}), out);
}

/// uxlfoundation/oneDPL#514 and #637: exclusive scans in place overwrote what they had to read.
TEST(reports, exclusive_scans_in_place_are_right) {
  std::vector<int> x{3, 1, 4, 1, 5, 9, 2, 6};
  exclusive_scan(x, x, plus{}, {.initial = 0});
  EXPECT_EQ((std::vector{0, 3, 4, 8, 9, 14, 23, 25}), x);
  std::vector<int> many(1'000'003, 1);
  exclusive_scan(cpu{.threads = 4}, many, many);
  for (std::size_t i = 0; i < many.size(); ++i) ASSERT_EQ(int(i), many[i]);
}

/// xtensor-stack/xtensor#2651: a quantile depended on which others were asked for.
TEST(reports, quantiles_do_not_depend_on_their_order) {
  std::vector<double> const x{
      927.,  932.,  935.,  943.,  944.,  944.,  945.,  948.,  952.,  962.,  968.,  968.,  969.,
      969.,  974.,  981.,  993.,  994.,  994.,  1003., 1007., 1008., 1008., 1012., 1013., 1014.,
      1014., 1017., 1019., 1020., 1023., 1026., 1026., 1028., 1030., 1032., 1039., 1047., 1071.,
      1080., 1085., 1088., 1111., 1112., 1117., 1119., 1128., 1130., 1209., 1309., 1426.};
  std::vector<double> two(2);
  quantiles(x, std::array{0.35, 0.65}, two);
  EXPECT_EQ((std::vector{quantile(x, 0.35), quantile(x, 0.65)}), two);
  EXPECT_EQ(994.0, two[0]);
  EXPECT_NEAR(1027.0, two[1], 1e-9);
  quantiles(x, std::array{0.65, 0.35}, two);
  EXPECT_EQ((std::vector{quantile(x, 0.65), quantile(x, 0.35)}), two);
}

/// NVIDIA/cudf#1417: quantiles of integers above 2^52 were those of rounded ones.
TEST(reports, quantiles_of_large_integers_are_rounded_once) {
  std::int64_t const least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(0x1p53 + 2, quantile(std::vector{(1L << 53) + 1, (1L << 53) + 2}, 0.75));
  EXPECT_EQ(-0.5, quantile(std::vector{least, -(least + 1)}, 0.5));
}

}  // namespace
}  // namespace upsweep::test
