/// Contract 4 of the verbs on scan: more than 2^32 elements, computed where they are read, and
/// results whose values or positions are beyond 2^32. Takes minutes, so it runs in `make test-full`
/// only.
#include <conformance/checking_output.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>
#include <upsweep/upsweep.hpp>
#include <upsweep/windowed.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <vector>

namespace upsweep::test {
namespace {

constexpr std::uint64_t most_of_32_bits = std::uint64_t{1} << 32, n = most_of_32_bits + 12345;

/// f(0), f(1), ..., f(size - 1).
template <class F>
auto computed(std::uint64_t size, F const& f) {
  return std::views::iota(std::uint64_t{0}, size) | std::views::transform(f);
}
auto ones() {
  return computed(n, [](std::uint64_t) { return 1.0; });
}
/// Keys of a short run, one of more than 2^32 elements, and a short one.
auto long_run() {
  return computed(n, [](std::uint64_t i) { return (i >= 3) + (i >= n - 2); });
}
std::vector<double> const lengths_of_long_run{3, static_cast<double>(n - 5), 2};

TEST(verbs_beyond_32_bits, selections_keep_what_lies_behind) {
  auto const numbers = std::views::iota(std::uint64_t{0}, n);
  auto const keep = [](std::uint64_t i) { return i % (std::uint64_t{1} << 28) == 9; };
  std::vector<std::uint64_t> out(17), positions(17), expected;
  for (std::uint64_t k = 0; k < 17; ++k) expected.push_back((k << 28) + 9);
  EXPECT_EQ(select(numbers, out, keep), 17u);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(select_positions(numbers, positions, keep), 17u);
  EXPECT_EQ(positions, expected);
}

TEST(verbs_beyond_32_bits, more_than_2_to_the_32_are_selected) {
  checking_output out(n - 1, [](std::uint64_t i) { return i + 1; });
  EXPECT_EQ(
      select(std::views::iota(std::uint64_t{0}, n), out, [](std::uint64_t i) { return i != 0; }),
      n - 1);
  EXPECT_EQ(out.wrong(), 0u);
}

TEST(verbs_beyond_32_bits, neighbors_are_compared_behind) {
  std::vector<std::uint64_t> values(17), expected;
  for (std::uint64_t k = 0; k < 17; ++k) expected.push_back(k);
  EXPECT_EQ(unique(computed(n, [](std::uint64_t i) { return i >> 28; }), values), 17u);
  EXPECT_EQ(values, expected);
}

TEST(verbs_beyond_32_bits, a_run_is_longer) {
  std::vector<int> values(3);
  std::vector<std::uint64_t> lengths(3);
  EXPECT_EQ(runs(long_run(), values, lengths), 3u);
  EXPECT_EQ(values, (std::vector{0, 1, 2}));
  EXPECT_EQ(lengths, (std::vector<std::uint64_t>{3, n - 5, 2}));
}

TEST(verbs_beyond_32_bits, a_run_that_is_longer_is_reduced) {
  std::vector<int> keys(3);
  std::vector<double> sums(3);
  EXPECT_EQ(reduce_runs(long_run(), ones(), keys, sums), 3u);
  EXPECT_EQ(keys, (std::vector{0, 1, 2}));
  EXPECT_EQ(sums, lengths_of_long_run);
}

TEST(verbs_beyond_32_bits, many_runs_are_reduced) {
  constexpr std::size_t count = (n + 1023) / 1024;
  std::vector<std::uint32_t> keys(count);
  std::vector<double> sums(count);
  auto const key = computed(n, [](std::uint64_t i) { return static_cast<std::uint32_t>(i >> 10); });
  EXPECT_EQ(reduce_runs(key, ones(), keys, sums), count);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k + 1 < count; ++k) wrong += sums[k] != 1024 || keys[k] != k;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(sums.back(), n % 1024);
}

TEST(verbs_beyond_32_bits, segments_begin_behind) {
  constexpr std::uint64_t size = 4099, count = (n + size - 1) / size;
  auto const offsets =
      computed(count + 1, [](std::uint64_t k) { return k == count ? n : k * size; });
  std::vector<double> sums(count);
  reduce_segments(ones(), offsets, sums);
  std::size_t wrong = 0;
  for (std::size_t k = 0; k + 1 < count; ++k) wrong += sums[k] != size;
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(sums.back(), n % size);
}

TEST(verbs_beyond_32_bits, a_segment_is_longer) {
  std::vector<std::uint64_t> const offsets{0, 3, 3, n - 2, n};
  std::vector<double> sums(4);
  reduce_segments(ones(), offsets, sums);
  EXPECT_EQ(sums, (std::vector<double>{3, 0, n - 5, 2}));
}

TEST(verbs_beyond_32_bits, bins_count_more) {
  std::vector<std::uint64_t> counts(4);
  auto const x = computed(n, [](std::uint64_t i) { return i == n - 1 ? 2.5f : 1.5f; });
  auto const outside = histogram(x, counts, even{0, 4});
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{0, n - 1, 1, 0}));
  EXPECT_EQ(outside, outside_counts{});
  auto const indices = computed(n, [](std::uint64_t i) { return i == n - 1 ? 3 : 0; });
  count_indices(indices, counts);
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{n - 1, 0, 0, 1}));
}

TEST(verbs_beyond_32_bits, windows_come_after) {
  checking_output out(n - 2, [](std::uint64_t i) { return 3 * i + 3; });
  windowed(std::views::iota(std::uint64_t{0}, n), 3, out);
  EXPECT_EQ(out.wrong(), 0u);
}

TEST(verbs_beyond_32_bits, a_recurrence_goes_on) {
  // y[i] = 1 + y[i - 1] - y[i - 2] has a period of 6, which does not divide 2^32; all numbers in
  // powers of its companion matrix are 0, 1 or -1.
  constexpr double period[] = {1, 2, 2, 1, 0, 0};
  recurrence const wave({1.0, -1.0});
  EXPECT_EQ(reduce(ones(), wave), period[(n - 1) % 6]);
}

}  // namespace
}  // namespace upsweep::test
