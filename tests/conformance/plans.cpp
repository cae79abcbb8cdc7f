/// What a call on the CPU gets: its plan and its strategy.
#include <conformance/backends.hpp>
#include <upsweep/generic/windows/windows.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/host/plan.hpp>
#include <upsweep/host/strategies.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::test {
namespace {

// How many threads, which tiles and which order a call on the CPU gets, at the sizes where
// that changes: what docs/design/0002-cpu.md has measured.

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

// The strategies of calls on the CPU (host/strategies.hpp) for representative types, as the table
// of docs/design/0002-cpu.md has them.

using host::few_strategy;

/// The strategies of calls over one type of elements.
struct choice {
  few_strategy few;
  strategy reduction, scan;
};
struct row {
  char const* call;
  choice expected, actual;
  few_strategy few_reduction;  // as the scan's
};

using as_is = detail::as_is;
auto const square = [](auto x) { return static_cast<decltype(x)>(x * x); };
auto const users = [](auto const& earlier, auto const&) { return earlier; };
template <class A>
using users_operator = decltype(monoid(users, A{}));
template <std::size_t bytes>
using structure = std::array<float, bytes / 4>;

/// The row of a call over elements T; the results of its scans are in memory, of type R.
template <class T, class Op, class F = as_is, class R = accumulator_t<Op, T>>
constexpr row row_of(char const* call, choice const& expected) {
  using In = source<T const*, F, Op, false>;
  using Out = sink<R*, Op, false>;
  return {call,
          expected,
          {host::few_scan_strategy<In, Out>, host::reduction_strategy<In>,
           host::scan_strategy<In, Out>},
          host::few_reduction_strategy<In>};
}

using enum few_strategy;
using enum strategy;
/// Other compilers than g++ on x86 have no strategy `registers`.
constexpr strategy of_numbers = host::fits_registers<float> ? registers : levels;
constexpr strategy float_sums = host::fits_registers<float> ? registers : kernels;
constexpr few_strategy opaque = host::has_opaque ? opaque_shape : nothing;

constexpr row rows[]{
    row_of<float, plus>("sum of floats in memory", {opaque, compiled, compiled}),
    row_of<std::int32_t, max>("maximum of integers in memory", {loop, compiled, compiled}),
    row_of<float, plus, decltype(square)>("sum of squares of floats",
                                          {nothing, float_sums, kernels}),
    row_of<std::int32_t, plus, decltype(square)>("sum of squares of integers",
                                                 {nothing, kernels, running}),
    row_of<float, argmax>("position of the maximum of floats", {nothing, kernels, running}),
    row_of<float, tuple_of<plus, max>>("sum and maximum of floats (`tuple_of`)",
                                       {nothing, kernels, kernels}),
    row_of<double, moments>("moments of doubles", {nothing, pairs, pairs}),
    row_of<float, upsweep::recurrence<1, float>, as_is, float>(
        "linear recurrence over floats", {nothing, strategy::recurrence, strategy::recurrence}),
    row_of<float, exact_sum, as_is, float>("exact sum of floats", {nothing, running, running}),
    row_of<float, users_operator<float>>("user-defined operator over floats",
                                         {shape, of_numbers, of_numbers}),
    row_of<std::uint8_t, users_operator<std::uint8_t>>("the same over bytes",
                                                       {shape, levels, nodes}),
    row_of<structure<8>, users_operator<structure<8>>>("the same over structures of 8 bytes",
                                                       {nothing, levels, levels}),
    row_of<structure<16>, users_operator<structure<16>>>("the same over structures of 16 bytes",
                                                         {nothing, levels, levels}),
    row_of<structure<32>, users_operator<structure<32>>>("the same over structures of 32 bytes",
                                                         {nothing, nodes, nodes}),
    row_of<structure<260>, users_operator<structure<260>>>("the same over structures of 260 bytes",
                                                           {nothing, objects, objects}),
    row_of<std::string, users_operator<std::string>>("the same over strings",
                                                     {nothing, nodes, objects}),
};

std::string text_of(char const* call, choice const& c) {
  std::string text = "| ";
  text += call;
  for (std::string_view const s : {name_of(c.few), name_of(c.reduction), name_of(c.scan)})
    text += " | " + std::string(s);
  return text + " |";
}

TEST(strategies, are_those_of_the_table) {
  for (row const& r : rows) {
    EXPECT_EQ(text_of(r.call, r.actual), text_of(r.call, r.expected));
    EXPECT_EQ(r.few_reduction, r.expected.few) << r.call;
  }
}

TEST(strategies, stand_in_the_design_note) {
  if (!host::fits_registers<float> || !host::has_opaque) GTEST_SKIP();
  std::ifstream note(UPSWEEP_DESIGN_NOTE);
  std::vector<std::string> found;
  for (std::string line; std::getline(note, line);)
    if (line.starts_with("| call | few | reduction | scan |"))
      for (std::getline(note, line); std::getline(note, line) && line.starts_with("|");)
        found.push_back(line);
  ASSERT_EQ(found.size(), std::size(rows));
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], text_of(rows[i].call, rows[i].expected));
}

}  // namespace
}  // namespace upsweep::test
