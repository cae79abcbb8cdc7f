/// How many threads, which tiles and which order a call on the CPU gets, at the sizes where
/// that changes: what docs/design/0002-cpu.md has measured.
#include <conformance/every_call_starts_threads.hpp>
#include <upsweep/generic/windows/windows.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/reduce.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

using host::plan;
using host::strategy;
using host::workload;

/// "4 threads, 2^16 streamed ahead"; the order depends on the caches of the machine.
std::string text_of(plan const& p) {
  std::string text = std::to_string(p.threads) + " threads, ";
  text += p.tile_log2 == 62 ? "whole" : "2^" + std::to_string(p.tile_log2);
  if (p.streamed) text += " streamed";
  if (p.ahead) text += " ahead";
  if (p.trial != 0) text += " after " + std::to_string(p.trial);
  return text;
}

constexpr std::size_t million = std::size_t{1} << 20;

workload numbers(std::size_t bytes, bool in_place = false) {
  return {.strategy = strategy::compiled,
          .element_bytes = bytes,
          .accumulator_bytes = bytes,
          .in_place = in_place};
}

/// Four threads start from half a mebibyte on, fewer from a mebibyte on, and their number grows
/// with the root of the input until each has half a mebibyte.
TEST(plans, reductions_of_numbers_start_threads_by_the_root_of_their_size) {
  struct {
    std::size_t bytes, n;
    int threads;
    char const* expected;
  } const all[]{
      {4, million / 8 - 1, 8, "1 threads, whole"}, {4, million / 8, 8, "4 threads, 2^13"},
      {4, million / 8, 3, "1 threads, whole"},     {4, million / 4 - 1, 3, "1 threads, whole"},
      {4, million / 4, 3, "3 threads, 2^14"},      {4, million / 2, 8, "8 threads, 2^14"},
      {4, million / 2, 64, "8 threads, 2^14"},     {4, 2 * million, 64, "16 threads, 2^15"},
      {4, million / 4, 1, "1 threads, whole"},     {4, 8 * million, 99, "64 threads, 2^15"},
      {4, 16 * million, 8, "8 threads, 2^19"},     {4, 64 * million, 8, "8 threads, 2^19"},
      {1, million - 1, 3, "1 threads, whole"},     {1, million, 2, "2 threads, 2^17"},
      {1, 64 * million, 2, "2 threads, 2^21"},     {2, 64 * million, 2, "2 threads, 2^20"},
      {16, 64 * million, 2, "2 threads, 2^17"},    {3, 64 * million, 2, "2 threads, 2^19"},
      {100, 64 * million, 2, "2 threads, 2^15"},
  };
  for (auto const& [bytes, n, threads, expected] : all)
    EXPECT_EQ(text_of(plan_reduce(numbers(bytes), n, threads)), expected) << bytes << " " << n;
}

TEST(plans, scans_of_numbers_start_four_threads_from_half_a_mebibyte_on) {
  struct {
    std::size_t bytes, n;
    int threads;
    char const *apart, *in_place;
  } const all[]{
      {4, million / 8 - 1, 8, "1 threads, 2^16", "1 threads, 2^16"},
      {4, 2 * million, 3, "1 threads, 2^16", "1 threads, 2^16"},
      {4, 4 * million - 1, 3, "1 threads, 2^16", "1 threads, 2^16"},
      {4, 4 * million - 1, 1, "1 threads, 2^16", "1 threads, 2^16"},
      {4, 4 * million, 1, "1 threads, 2^16 streamed", "1 threads, 2^16"},
      {8, 2 * million, 1, "1 threads, 2^15 streamed", "1 threads, 2^15"},
      {1, 16 * million - 1, 1, "1 threads, 2^18", "1 threads, 2^18"},
      {4, 1024 * million, 3, "3 threads, 2^16 streamed ahead", "3 threads, 2^16 ahead"},
      {4, 1024 * million, 4, "4 threads, 2^16 streamed ahead", "4 threads, 2^16 ahead"},
      {4, 1024 * million, 5, "5 threads, 2^16 streamed", "5 threads, 2^16"},
  };
  for (auto const& [bytes, n, threads, apart, in_place] : all) {
    EXPECT_EQ(text_of(plan_scan(numbers(bytes), n, threads)), apart) << bytes << " " << n;
    EXPECT_EQ(text_of(plan_scan(numbers(bytes, true), n, threads)), in_place) << bytes << " " << n;
  }
  EXPECT_EQ(plan_scan(numbers(4), million / 8, 4).threads, 4);
  EXPECT_EQ(plan_scan(numbers(4), million / 8, 9).threads, 5);  // the root of 512 / 16
  EXPECT_EQ(plan_scan(numbers(4), 4 * million, 99).threads, 32);
  workload one = numbers(4);
  one.one_thread = true;
  EXPECT_EQ(plan_scan(one, 1024 * million, 8).threads, 1);
  int const processors = host::threads::usable(0);
  EXPECT_EQ(plan_scan(numbers(4), 1024 * million, 0).threads, processors - processors / 32 * 8);
}

/// What three quarters of the threads' own caches hold is divided into shares, and stays there.
/// Reductions of more than 32 MiB read memory in input order.
TEST(plans, shares_are_as_large_as_the_caches) {
  using enum host::tile_order;
  std::size_t const held = 8 * (host::threads::own_cache_bytes() / 4 * 3);
  EXPECT_EQ(plan_reduce(numbers(1), million / 2, 4).order, shares);
  EXPECT_EQ(plan_reduce(numbers(1), held + million, 8).order, tickets);
  EXPECT_EQ(plan_reduce(numbers(1), 32 * million + 1, 64).order, tickets);
  EXPECT_EQ(plan_scan(numbers(1, true), held, 8).order, shares);
  EXPECT_EQ(plan_scan(numbers(1, true), held + 1, 8).order, tickets);
  EXPECT_EQ(plan_scan(numbers(1), held / 2, 8).order, shares);
  EXPECT_EQ(plan_scan(numbers(1), held / 2 + 1, 8).order, tickets);
  EXPECT_FALSE(plan_scan(numbers(1), held / 2, 8).streamed);
  EXPECT_TRUE(plan_scan(numbers(1), held / 2 + 1, 8).streamed);
  EXPECT_EQ(std::string(name_of(shares)), "shares");
  EXPECT_EQ(std::string(name_of(tickets)), "tickets");
  EXPECT_EQ(std::string(name_of(strategy::compiled)), "compiled");
  EXPECT_EQ(std::string(name_of(strategy::objects)), "objects");
}

TEST(plans, unknown_operators_are_tried_unless_the_fastest_would_be_worth_all_threads) {
  workload const objects{.strategy = strategy::levels, .element_bytes = 8, .accumulator_bytes = 8};
  struct {
    std::size_t n;
    int threads;
    char const *reduce, *scan, *select;
  } const all[]{
      {8191, 4, "1 threads, whole", "1 threads, 2^10", "1 threads, whole"},
      {8192, 4, "4 threads, 2^18 after 2048", "4 threads, 2^15 after 2048",
       "4 threads, 2^14 after 2048"},
      {159'999, 4, "4 threads, 2^18 after 2048", "4 threads, 2^15 after 2048",
       "4 threads, 2^14 after 2048"},
      {160'000, 4, "4 threads, 2^13", "4 threads, 2^15 after 2048", "4 threads, 2^14 after 2048"},
      {399'999, 4, "4 threads, 2^14", "4 threads, 2^15 after 2048", "4 threads, 2^14 after 2048"},
      {400'000, 4, "4 threads, 2^14", "4 threads, 2^14", "4 threads, 2^14"},
      {64 * million, 4, "4 threads, 2^18", "4 threads, 2^15", "4 threads, 2^14"},
      {8192, 99, "32 threads, 2^18 after 2048", "32 threads, 2^15 after 2048",
       "32 threads, 2^14 after 2048"},
  };
  for (auto const& [n, threads, reduce, scan, select] : all) {
    EXPECT_EQ(text_of(plan_reduce(objects, n, threads)), reduce) << n;
    EXPECT_EQ(text_of(plan_scan(objects, n, threads)), scan) << n;
    EXPECT_EQ(text_of(host::plan_selection(8, n, threads)), select) << n;
  }
}

TEST(plans, tiles_of_other_strategies_fit_the_first_caches) {
  struct {
    strategy by;
    std::size_t bytes;
    char const *alone, *together;
  } const all[]{
      {strategy::running, 8, "2^14", "2^14"}, {strategy::objects, 64, "2^7", "2^10"},
      {strategy::objects, 512, "2^4", "2^7"}, {strategy::objects, 1000, "2^4", "2^7"},
      {strategy::levels, 16, "2^9", "2^14"},  {strategy::kernels, 4, "2^11", "2^16"},
  };
  for (auto const& [by, bytes, alone, together] : all) {
    workload w{.strategy = by, .element_bytes = 8, .accumulator_bytes = bytes};
    EXPECT_EQ(text_of(plan_scan(w, 100, 4)), std::string("1 threads, ") + alone);
    EXPECT_EQ(text_of(plan_scan(w, 2 * million, 4)), std::string("4 threads, ") + together);
    w.streams = true;
    EXPECT_FALSE(plan_scan(w, 2 * million - 1, 4).streamed);
    EXPECT_TRUE(plan_scan(w, 2 * million, 4).streamed);
    w.in_place = true;
    EXPECT_FALSE(plan_scan(w, 2 * million, 4).streamed);
  }
}

TEST(plans, the_trial_decides_how_many_threads_the_rest_is_worth) {
  plan const before{.threads = 8, .tile_log2 = 20, .trial = 2048, .wait_nanoseconds = 1000};
  std::size_t const n = 2048 * 11;  // the rest takes ten times as long as the trial
  struct {
    std::size_t nanoseconds;
    char const* expected;
  } const all[]{
      {100, "1 threads, 2^10"},  {899, "1 threads, 2^10"},   {900, "3 threads, 2^10"},
      {1599, "3 threads, 2^10"}, {1600, "4 threads, 2^10"},  {6399, "7 threads, 2^10"},
      {6400, "8 threads, 2^10"}, {20480, "8 threads, 2^10"}, {20481, "8 threads, 2^9"},
  };
  for (auto const& [nanoseconds, expected] : all)
    EXPECT_EQ(text_of(plan_after_trial(before, n, nanoseconds)), expected) << nanoseconds;
  plan cheap_waits = before;
  cheap_waits.wait_nanoseconds = 1;
  EXPECT_EQ(plan_after_trial(cheap_waits, n, 1249).threads, 4);  // 2.5 us each
  EXPECT_EQ(plan_after_trial(cheap_waits, n, 1250).threads, 5);
  EXPECT_EQ(text_of(plan_after_trial(before, 64 * million, 6400)), "8 threads, 2^20");
  plan small_tiles = before;
  small_tiles.tile_log2 = 5;
  EXPECT_EQ(text_of(plan_after_trial(small_tiles, n, 100)), "1 threads, 2^5");
}

TEST(plans, distributions_start_threads_beyond_the_caches) {
  EXPECT_EQ(text_of(plan_distribution(numbers(4), 4 * million - 1, 8)), "1 threads, 2^14");
  EXPECT_EQ(text_of(plan_distribution(numbers(4), 4 * million, 8)), "2 threads, 2^14 streamed");
  EXPECT_EQ(text_of(plan_distribution(numbers(4, true), 4 * million, 1)), "1 threads, 2^14");
  EXPECT_EQ(text_of(plan_distribution(numbers(4), 4 * million, 1)), "1 threads, 2^14 streamed");
  EXPECT_EQ(text_of(plan_distribution(numbers(1), 16 * million, 2)), "2 threads, 2^16 streamed");
  workload const objects{.strategy = strategy::levels, .element_bytes = 8, .accumulator_bytes = 8};
  EXPECT_EQ(text_of(plan_distribution(objects, 400'000, 4)), "4 threads, 2^14");
}

/// The tiles of windows without kernels: of few, wide windows, one for each of two turns of each
/// thread; of few, narrow ones 2048 windows.
TEST(plans, tiles_of_windows_are_shared_but_not_small) {
  using detail::window_tile;
  EXPECT_EQ(window_tile(10'000, 30'000, 2, false), 30'000U / 4 + 1);
  EXPECT_EQ(window_tile(10'000, 10'001, 2, false), 10'000U / 2);
  EXPECT_EQ(window_tile(100, 3'000, 8, false), 2'048U);
  EXPECT_EQ(window_tile(100, 3'000, 1, false), 4'096U);
  EXPECT_EQ(window_tile(10'000, 9'999, 2, false), 20'000U);
}

/// A test that lowers the cutoff gets as many threads as its input is worth, at once.
TEST(plans, a_lowered_cutoff_limits_shares_and_needs_no_trial) {
  workload const objects{.strategy = strategy::levels, .element_bytes = 8, .accumulator_bytes = 8};
  EXPECT_TRUE(plan_reduce(objects, 8'192, 0).asks);
  every_call_starts_threads const lowered;
  EXPECT_FALSE(plan_reduce(objects, 8'192, 0).asks);
  host::threads::largest_cutoff = 1'000;
  EXPECT_EQ(host::threads::team_size(5'000, million, 100, 400), 5'000 / 400);
  EXPECT_EQ(host::threads::team_size(5'000, million, 100, 600), 5'000 / 500);
  EXPECT_EQ(host::threads::team_size(999, million, 100, 400), 1);
}

/// The mode of an executor is that of its calls. These sums are exact in any order.
TEST(plans, an_executor_may_be_fast) {
  std::vector<float> x(4'096);
  std::iota(x.begin(), x.end(), 1.0f);
  EXPECT_EQ(reduce(cpu{1, mode::fast}, x), 4'096.0f * 4'097 / 2);
}

}  // namespace
}  // namespace upsweep::test
