/// Every verb that takes an operator, with each kind of object that can be one.
#include <upsweep/histogram.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

int larger(int a, int b) {
  return a < b ? b : a;
}
int larger_without_throwing(int a, int b) noexcept {
  return larger(a, b);
}
int same_one(int a) {
  return a;
}
int product(int a, int b) {
  return a * b;
}

/// Every verb that takes an operator, by any object that computes the larger of two numbers.
template <class Op>
void expect_every_verb(Op const& op) {
  std::vector<int> const x{12, 18, 30, 6}, keys{1, 1, 2, 2};
  std::vector<std::size_t> const offsets{0, 1, 4};
  std::vector<int> const running{12, 18, 30, 30}, before{15, 15, 18, 30};
  std::vector<int> out(4), two(2), to_keys(2), three(3);
  EXPECT_EQ(30, upsweep::reduce(x, op));
  EXPECT_EQ(30, upsweep::transform_reduce(x, same_one, op));
  EXPECT_EQ(60, upsweep::transform_reduce(x, keys, product, op));
  upsweep::inclusive_scan(x, out, op);
  EXPECT_EQ(running, out);
  upsweep::exclusive_scan(x, out, op, {.initial = 15});
  EXPECT_EQ(before, out);
  upsweep::transform_inclusive_scan(x, out, same_one, op);
  EXPECT_EQ(running, out);
  upsweep::transform_exclusive_scan(x, out, same_one, op, {.initial = 15});
  EXPECT_EQ(before, out);
  upsweep::transform_inclusive_scan(x, keys, out, product, op);
  EXPECT_EQ((std::vector{12, 18, 60, 60}), out);
  upsweep::transform_exclusive_scan(x, keys, out, product, op, {.initial = 15});
  EXPECT_EQ((std::vector{15, 15, 18, 60}), out);
  upsweep::windowed(x, 2, three, op);
  EXPECT_EQ((std::vector{18, 30, 30}), three);
  upsweep::reduce_segments(x, offsets, two, op);
  EXPECT_EQ((std::vector{12, 30}), two);
  upsweep::inclusive_scan_segments(x, offsets, out, op);
  EXPECT_EQ(running, out);
  upsweep::exclusive_scan_segments(x, offsets, out, op, {.initial = 15});
  EXPECT_EQ((std::vector{15, 15, 18, 30}), out);
  EXPECT_EQ(2u, upsweep::reduce_runs(keys, x, to_keys, two, op));
  EXPECT_EQ((std::vector{18, 30}), two);
  upsweep::inclusive_scan_runs(keys, x, out, op);
  EXPECT_EQ(running, out);
  upsweep::exclusive_scan_runs(keys, x, out, op, {.initial = 15});
  EXPECT_EQ((std::vector{15, 15, 15, 30}), out);
  upsweep::weighted_histogram(keys, x, two, even{1, 3}, op);
  EXPECT_EQ((std::vector{18, 30}), two);
  strided_view<int const> const table(x.data(), {2, 2});
  upsweep::reduce(table, strided_view<int>(two.data(), {2}), op, {.axis = 0});
  EXPECT_EQ((std::vector{30, 18}), two);
  upsweep::inclusive_scan(table, strided_view<int>(out.data(), {2, 2}), op);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  upsweep::exclusive_scan(table, strided_view<int>(out.data(), {2, 2}), op, {.initial = 15});
  EXPECT_EQ((std::vector{15, 15, 15, 30}), out);
}
template <class Op>
void expect_every_stream(Op op) {
  std::vector<int> const x{12, 18, 30, 6}, keys{1, 1, 2, 2};
  std::vector<int> out(4), to_keys(4);
  reduce_stream<int, Op> totals(op);
  totals.push(x);
  EXPECT_EQ(30, totals.result());
  scan_stream<int, Op> scans(op);
  scans.inclusive(x, out);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  reduce_runs_stream<int, int, Op> runs(op);
  EXPECT_EQ(1u, runs.push(keys, x, to_keys, out));
  EXPECT_EQ(18, out[0]);
  scan_runs_stream<int, int, Op> of_runs(op);
  of_runs.inclusive(keys, x, out);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  partial<int, Op> part(0, op);
  part.push(x);
  EXPECT_EQ(30, part.result());
}
template <class Op>
void expect_operator_of_all(Op const& op) {
  expect_every_verb(op);
  expect_every_stream<std::decay_t<Op>>(op);
}

TEST(functions, that_hold_something_are_operators_of_all_verbs) {
  int const nothing = 0;
  expect_operator_of_all([&](int a, int b) { return larger(a, b) + nothing; });
  expect_operator_of_all(std::function<int(int, int)>(larger));
}
TEST(functions, by_pointer_are_operators_of_streams) {
  expect_every_stream(&larger);
  expect_every_stream(&larger_without_throwing);
}

}  // namespace
}  // namespace upsweep::test
