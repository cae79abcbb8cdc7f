/// Medians, quartiles and ratios against values computed by hand; the team and its ranges.
#include <gtest/gtest.h>

#include <atomic>
#include <bench/harness/measure.hpp>
#include <bench/harness/team.hpp>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace upsweep::bench {
namespace {

TEST(bench_sample, has_the_middle_value_and_the_quartiles) {
  auto const odd = summary({5, 1, 4, 2, 3});
  EXPECT_EQ(odd.low, 2);
  EXPECT_EQ(odd.median, 3);
  EXPECT_EQ(odd.high, 4);
  auto const even = summary({4, 1, 3, 2});
  EXPECT_EQ(even.low, 1.75);
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.high, 3.25);
}

TEST(bench_sample, of_one_value_is_that_value) {
  auto const one = summary({7});
  EXPECT_EQ(one.low, 7);
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.high, 7);
}

TEST(bench_sample, of_nothing_is_an_error) {
  EXPECT_THROW((void)summary({}), std::invalid_argument);
}

TEST(bench_ratio, is_formed_round_by_round_so_that_a_disturbed_round_cancels_out) {
  // The second round was ten times slower for both.
  auto const r = ratio({2, 20, 4}, {1, 10, 2});
  EXPECT_EQ(r.low, 2);
  EXPECT_EQ(r.median, 2);
  EXPECT_EQ(r.high, 2);
  // The medians are equal, but in two of three rounds the numerator is three times the denominator.
  EXPECT_EQ(ratio({3, 9, 1}, {1, 3, 4}).median, 3);
}

TEST(bench_ratio, needs_the_same_rounds_of_both) {
  EXPECT_THROW((void)ratio({1, 2}, {1}), std::invalid_argument);
}

TEST(bench_team, runs_every_member_once_a_job_however_many_jobs) {
  for (int threads : {1, 2, 3, 7}) {
    team t(threads);
    ASSERT_EQ(t.size(), threads);
    std::vector<int> calls(static_cast<std::size_t>(threads));
    for (int job = 0; job < 200; ++job)
      t.run([&](int member) { ++calls[static_cast<std::size_t>(member)]; });
    EXPECT_EQ(calls, std::vector<int>(static_cast<std::size_t>(threads), 200))
        << threads << " threads";
  }
}

TEST(bench_team, shares_cover_everything_once_and_start_at_multiples_of_the_grain) {
  for (std::size_t n : {0u, 1u, 4095u, 4096u, 4097u, 100000u})
    for (int members : {1, 2, 3, 7}) {
      std::size_t at = 0;
      for (int m = 0; m < members; ++m) {
        auto const [begin, end] = share(n, m, members, 4096);
        EXPECT_EQ(begin, at) << "n " << n << ", member " << m << " of " << members;
        EXPECT_LE(begin, end);
        EXPECT_TRUE(begin % 4096 == 0 || begin == n);
        at = end;
      }
      EXPECT_EQ(at, n);
    }
}

}  // namespace
}  // namespace upsweep::bench
