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

/// The three strategies of calls over one type of elements.
struct row {
  char const* call;
  few_strategy few;
  strategy reduction, scan;

  bool operator==(row const&) const = default;
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
constexpr row row_of(char const* call) {
  using In = source<T const*, F, Op, false>;
  using Out = sink<R*, Op, false>;
  return {call, host::few_scan_strategy<In, Out>, host::reduction_strategy<In>,
          host::scan_strategy<In, Out>};
}

using enum few_strategy;
using enum strategy;
/// Other compilers than g++ on x86 have no strategy `registers`.
constexpr strategy numbers = host::fits_registers<float> ? registers : levels;
constexpr strategy float_sums = host::fits_registers<float> ? registers : kernels;
constexpr few_strategy opaque = host::has_opaque ? opaque_shape : nothing;

constexpr row expected[]{
    {"sum of floats in memory", opaque, compiled, compiled},
    {"maximum of integers in memory", loop, compiled, compiled},
    {"sum of squares of floats", nothing, float_sums, kernels},
    {"sum of squares of integers", nothing, kernels, running},
    {"position of the maximum of floats", nothing, kernels, running},
    {"sum and maximum of floats (`tuple_of`)", nothing, kernels, kernels},
    {"moments of doubles", nothing, pairs, pairs},
    {"linear recurrence over floats", nothing, strategy::recurrence, strategy::recurrence},
    {"exact sum of floats", nothing, running, running},
    {"user-defined operator over floats", shape, numbers, numbers},
    {"the same over bytes", shape, levels, nodes},
    {"the same over structures of 8 bytes", nothing, levels, levels},
    {"the same over structures of 16 bytes", nothing, levels, levels},
    {"the same over structures of 32 bytes", nothing, nodes, nodes},
    {"the same over structures of 260 bytes", nothing, objects, objects},
    {"the same over strings", nothing, nodes, objects},
};
constexpr row actual[]{
    row_of<float, plus>(expected[0].call),
    row_of<std::int32_t, max>(expected[1].call),
    row_of<float, plus, decltype(square)>(expected[2].call),
    row_of<std::int32_t, plus, decltype(square)>(expected[3].call),
    row_of<float, argmax>(expected[4].call),
    row_of<float, tuple_of<plus, max>>(expected[5].call),
    row_of<double, moments>(expected[6].call),
    row_of<float, upsweep::recurrence<1, float>, as_is, float>(expected[7].call),
    row_of<float, exact_sum, as_is, float>(expected[8].call),
    row_of<float, users_operator<float>>(expected[9].call),
    row_of<std::uint8_t, users_operator<std::uint8_t>>(expected[10].call),
    row_of<structure<8>, users_operator<structure<8>>>(expected[11].call),
    row_of<structure<16>, users_operator<structure<16>>>(expected[12].call),
    row_of<structure<32>, users_operator<structure<32>>>(expected[13].call),
    row_of<structure<260>, users_operator<structure<260>>>(expected[14].call),
    row_of<std::string, users_operator<std::string>>(expected[15].call),
};

std::string text_of(row const& r) {
  std::string text = "| ";
  text += r.call;
  for (std::string_view const s : {name_of(r.few), name_of(r.reduction), name_of(r.scan)})
    text += " | " + std::string(s);
  return text + " |";
}

TEST(strategies, are_those_of_the_table) {
  ASSERT_EQ(std::size(actual), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(text_of(actual[i]), text_of(expected[i]));
}

TEST(strategies, stand_in_the_design_note) {
  if (!host::fits_registers<float> || !host::has_opaque) GTEST_SKIP();
  std::ifstream note(UPSWEEP_DESIGN_NOTE);
  std::vector<std::string> rows;
  for (std::string line; std::getline(note, line);)
    if (line.starts_with("| call | few | reduction | scan |"))
      for (std::getline(note, line); std::getline(note, line) && line.starts_with("|");)
        rows.push_back(line);
  ASSERT_EQ(rows.size(), std::size(expected));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], text_of(expected[i]));
}

}  // namespace
}  // namespace upsweep::test
