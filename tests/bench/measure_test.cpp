/// What is measured, in which order, and its statistics.
#include <bench/harness/measure.hpp>
#include <bench/harness/team.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

// The order of the rounds; wrong results are detected and not timed. The competitors report fake
// times.

constexpr work int_sum{verb::reduce, operation::sum, element::i32};

struct log {
  std::string calls;
};

/// Computes the sum plus `error`, and reports that each call took `seconds`.
competitor fake(char const* name, log& l, double seconds, std::int64_t error = 0,
                role r = role::peer) {
  auto find = [=, &l](work const&, std::size_t n) -> timed_run {
    return [=, &l](slots& memory, std::size_t repeats) {
      l.calls += name;
      auto const [in, out] = memory.take();
      reference(int_sum, in, out, n);
      std::int64_t total = 0;
      std::memcpy(&total, out, sizeof total);
      total += error;
      std::memcpy(out, &total, sizeof total);
      return seconds * static_cast<double>(repeats);
    };
  };
  return {name, name, r, false, find};
}

struct bench_measure : testing::Test {
  team t{2};
  arena memory{1u << 22};
  settings s;
  log l;

  void SetUp() override {
    s.cache_bytes = 1u << 20;
    s.batch_seconds = 1e-3;
    s.cell_seconds = 1e9;
    s.most_rounds = 4;
  }
  cell run(std::vector<competitor> const& all, std::size_t n = 1000) {
    return measure(int_sum, n, all, memory, t, s);
  }
};

TEST_F(bench_measure, everybody_is_timed_once_a_round_in_every_order) {
  constexpr std::size_t rounds = 60, calls = 6;  // of a round, one of two is not timed
  s.least_rounds = s.most_rounds = rounds;
  auto const c = run({fake("a", l, 1), fake("b", l, 1), fake("c", l, 1)});
  ASSERT_EQ(l.calls.size(), 3 + rounds * calls);
  EXPECT_EQ(l.calls.substr(0, 3), "abc") << "verification";
  std::set<std::string> orders;
  for (std::size_t round = 0; round < rounds; ++round)
    orders.insert(l.calls.substr(3 + round * calls, calls));
  EXPECT_EQ(orders,
            (std::set<std::string>{"aabbcc", "aaccbb", "bbaacc", "bbccaa", "ccaabb", "ccbbaa"}));
  for (auto const& series : c.all) EXPECT_EQ(series.seconds, std::vector<double>(rounds, 1.0));
}

TEST_F(bench_measure, an_untimed_batch_comes_before_the_timed_one_also_where_data_are_cold) {
  s.cold_from = 1;
  s.most_rounds = 3;
  (void)run({fake("a", l, 1)});
  EXPECT_EQ(l.calls,
            "a"
            "aa"
            "aa"
            "aa");
}

TEST_F(bench_measure, a_wrong_result_is_reported_and_not_timed) {
  auto const c = run({fake("right", l, 1), fake("wrong", l, 1, 1)});
  ASSERT_EQ(c.all.size(), 2u);
  EXPECT_TRUE(c.all[0].correct());
  EXPECT_FALSE(c.all[1].correct());
  EXPECT_TRUE(c.all[1].seconds.empty());
  EXPECT_EQ(c.find("wrong"), nullptr);
  EXPECT_EQ(l.calls.find("wrong", l.calls.find("wrong") + 1), std::string::npos)
      << "called once, for verification";
}

TEST_F(bench_measure, the_result_of_the_one_before_does_not_pass_for_ones_own) {
  competitor idle{"idle", "idle", role::peer, false, [](work const&, std::size_t) -> timed_run {
                    return [](slots&, std::size_t) { return 1.0; };
                  }};
  EXPECT_FALSE(run({fake("right", l, 1), idle}).all[1].correct());
}

TEST_F(bench_measure, short_calls_are_repeated_until_a_batch_is_long_enough) {
  auto const c = run({fake("a", l, 1e-6)});
  EXPECT_NEAR(static_cast<double>(c.all[0].repeats), 1000, 1);
  EXPECT_NEAR(c.all[0].seconds.front(), 1e-6, 1e-12);
}

TEST_F(bench_measure, a_first_call_that_wakes_threads_does_not_decide_how_many_are_timed_together) {
  auto slow_at_first = fake("a", l, 1e-6);
  slow_at_first.find = [of = slow_at_first.find](work const& w, std::size_t n) -> timed_run {
    return [run = of(w, n), calls = 0](slots& places, std::size_t repeats) mutable {
      return run(places, repeats) + (calls++ < 2 ? 5e-3 : 0);  // verified, and called again
    };
  };
  EXPECT_NEAR(static_cast<double>(run({slow_at_first}).all[0].repeats), 1000, 1);
}

TEST_F(bench_measure, the_time_that_is_left_decides_the_number_of_rounds) {
  s.cell_seconds = 0;
  EXPECT_EQ(run({fake("a", l, 1)}).all[0].seconds.size(), 3u);
}

TEST_F(bench_measure, finds_the_best_peer_and_the_tightest_limit) {
  auto const c = run({fake("slow", l, 3), fake("quick", l, 2), fake("wrong", l, 1, 1),
                      fake("limit", l, 1, 0, role::limit), fake("looser", l, 1.5, 0, role::limit),
                      fake("upsweep", l, 1, 0, role::upsweep)});
  EXPECT_EQ(c.best_peer()->name, "quick");
  EXPECT_EQ(c.limit()->name, "limit");
}

TEST_F(bench_measure, who_cannot_do_the_work_does_not_take_part) {
  competitor unable{"unable", "", role::peer, false,
                    [](work const&, std::size_t) { return timed_run{}; }};
  EXPECT_TRUE(run({unable}).all.empty());
}

TEST(bench_speed, counts_the_bytes_that_must_move) {
  EXPECT_DOUBLE_EQ(gigabytes_per_second({verb::reduce, operation::sum, element::f32}, 1000, 1e-6),
                   4);
  EXPECT_DOUBLE_EQ(
      gigabytes_per_second({verb::inclusive_scan, operation::sum, element::f64}, 1000, 1e-6), 16);
  EXPECT_DOUBLE_EQ(
      gigabytes_per_second({verb::inclusive_scan, operation::affine, element::f32}, 1000, 1e-6),
      16);
  EXPECT_DOUBLE_EQ(
      gigabytes_per_second({verb::inclusive_scan, operation::sum, element::f32, true}, 1000, 1e-6),
      8);
}

// Medians, quartiles and ratios against values computed by hand; the team and its ranges.

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
