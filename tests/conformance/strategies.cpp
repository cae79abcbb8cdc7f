/// The strategies of calls on the CPU (host/strategies.hpp) for representative types, as the table
/// of docs/design/0002-cpu.md has them.
#include <upsweep/host/strategies.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::test {
namespace {

using host::few_strategy;
using host::strategy;

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
constexpr strategy numbers = host::fits_registers<float> ? registers : levels;
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
                                         {shape, numbers, numbers}),
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
