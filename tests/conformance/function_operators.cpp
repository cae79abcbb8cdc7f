/// Every verb that takes an operator, with each kind of object that can be one, beside loops; and
/// what braces mean for streams.
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
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
int const& larger_of(int const& a, int const& b) {
  return a < b ? b : a;
}
int gcd_of(int a, int b) noexcept {
  return std::gcd(a, b);
}
int same_one(int a) {
  return a;
}
int product(int a, int b) {
  return a * b;
}

template <class E>
void expect_reductions_and_scans(E const& on, std::vector<int> const& x) {
  int const greatest = *std::max_element(x.begin(), x.end());
  EXPECT_EQ(greatest, upsweep::reduce(on, x, larger));
  EXPECT_EQ(greatest, upsweep::reduce(on, x, larger_of));
  EXPECT_EQ(greatest, upsweep::reduce(on, x, std::max<int>));
  EXPECT_EQ(6000, upsweep::reduce(on, x, std::max<int>, {.initial = 6000}));
  EXPECT_EQ(3, upsweep::reduce(on, x, gcd_of));
  EXPECT_EQ(greatest, upsweep::transform_reduce(on, x, same_one, larger));
  EXPECT_EQ(greatest * greatest, upsweep::transform_reduce(on, x, x, product, larger));
  std::vector<int> want(x.size()), out(x.size());
  std::partial_sum(x.begin(), x.end(), want.begin(), larger);
  upsweep::inclusive_scan(on, x, out, larger);
  EXPECT_EQ(want, out);
  out.assign(x.size(), 0);
  upsweep::inclusive_scan(on, x, out, std::max<int>);
  EXPECT_EQ(want, out);
  upsweep::transform_inclusive_scan(on, x, out, same_one, larger);
  EXPECT_EQ(want, out);
  want.insert(want.begin(), 0);
  want.pop_back();
  upsweep::exclusive_scan(on, x, out, larger, {.initial = 0});
  EXPECT_EQ(want, out);
  upsweep::exclusive_scan(on, x, out, larger_of, {.initial = 0});
  EXPECT_EQ(want, out);
}

TEST(functions, are_operators_of_reductions_and_scans) {
  std::vector<int> x(20'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 3 * static_cast<int>(i * 7919 % 1009);
  for (std::size_t const n : {1u, 3u, 64u, 20'000u}) {
    std::vector<int> some(x.begin() + 1, x.begin() + 1 + static_cast<std::ptrdiff_t>(n - 1));
    some.push_back(3);
    for (int const threads : {1, 3}) expect_reductions_and_scans(cpu{.threads = threads}, some);
  }
}

TEST(functions, are_operators_of_the_other_verbs) {
  std::vector<int> const x{12, 18, 30, 6}, keys{1, 1, 2, 2};
  std::vector<std::size_t> const offsets{0, 1, 4};
  std::vector<int> out(4), two(2), to_keys(2), three(3);
  upsweep::windowed(x, 2, three, larger);
  EXPECT_EQ((std::vector{18, 30, 30}), three);
  upsweep::reduce_segments(x, offsets, two, larger);
  EXPECT_EQ((std::vector{12, 30}), two);
  upsweep::inclusive_scan_segments(x, offsets, out, larger);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  upsweep::exclusive_scan_segments(x, offsets, out, larger, {.initial = 15});
  EXPECT_EQ((std::vector{15, 15, 18, 30}), out);
  upsweep::reduce_runs(keys, x, to_keys, two, larger);
  EXPECT_EQ((std::vector{18, 30}), two);
  upsweep::inclusive_scan_runs(keys, x, out, larger);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  upsweep::weighted_histogram(keys, x, two, even{1, 3}, larger);
  EXPECT_EQ((std::vector{18, 30}), two);
  strided_view<int const> const table(x.data(), {2, 2});
  upsweep::reduce(table, strided_view<int>(two.data(), {2}), larger, {.axis = 1});
  EXPECT_EQ((std::vector{18, 30}), two);
  upsweep::reduce(table, strided_view<int>(two.data(), {2}), larger, {.axis = 0});
  EXPECT_EQ((std::vector{30, 18}), two);
}

/// std::max<T> is several functions, of which the call takes that of two elements.
template <class... E>
void expect_templates_as_operators(E const&... on) {
  std::vector<int> const x{12, 18, 30, 6}, keys{1, 1, 2, 2};
  std::vector<std::size_t> const offsets{0, 1, 4};
  std::vector<int> out(4), two(2), to_keys(2), three(3);
  upsweep::windowed(on..., x, 2, three, std::max<int>);
  EXPECT_EQ((std::vector{18, 30, 30}), three);
  upsweep::windowed(on..., x, 2, three, std::min<int>, {.initial = 13});
  EXPECT_EQ((std::vector{12, 13, 6}), three);
  upsweep::reduce_segments(on..., x, offsets, two, std::max<int>);
  EXPECT_EQ((std::vector{12, 30}), two);
  upsweep::reduce_segments(on..., x, offsets, two, std::min<int>, {.initial = 7});
  EXPECT_EQ((std::vector{7, 6}), two);
  upsweep::inclusive_scan_segments(on..., x, offsets, out, std::max<int>);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  upsweep::exclusive_scan_segments(on..., x, offsets, out, std::max<int>, {.initial = 15});
  EXPECT_EQ((std::vector{15, 15, 18, 30}), out);
  EXPECT_EQ(2u, upsweep::reduce_runs(on..., keys, x, to_keys, two, std::max<int>));
  EXPECT_EQ((std::vector{18, 30}), two);
  upsweep::inclusive_scan_runs(on..., keys, x, out, std::min<int>);
  EXPECT_EQ((std::vector{12, 12, 30, 6}), out);
  upsweep::exclusive_scan_runs(on..., keys, x, out, std::min<int>, {.initial = 14});
  EXPECT_EQ((std::vector{14, 12, 14, 14}), out);
  upsweep::weighted_histogram(on..., keys, x, two, even{1, 3}, std::max<int>);
  EXPECT_EQ((std::vector{18, 30}), two);
  EXPECT_EQ(12, upsweep::transform_reduce(on..., keys, [](int k) { return 6 * k; }, std::max<int>));
  strided_view<int const> const table(x.data(), {2, 2});
  upsweep::reduce(on..., table, strided_view<int>(two.data(), {2}), std::max<int>, {.axis = 0});
  EXPECT_EQ((std::vector{30, 18}), two);
  upsweep::inclusive_scan(on..., table, strided_view<int>(out.data(), {2, 2}), std::max<int>);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  upsweep::exclusive_scan(on..., table, strided_view<int>(out.data(), {2, 2}), std::min<int>,
                          {.initial = 20, .axis = 1});
  EXPECT_EQ((std::vector{20, 12, 20, 20}), out);
}

/// The same of transforms, of one range and of two.
template <class... E>
void expect_templates_after_functions(E const&... on) {
  std::vector<int> const x{12, 18, 30, 6}, keys{1, 1, 2, 2};
  std::vector<int> out(4);
  EXPECT_EQ(60, upsweep::transform_reduce(on..., x, keys, product, std::max<int>));
  EXPECT_EQ(61, upsweep::transform_reduce(on..., x, keys, product, std::max<int>, {.initial = 61}));
  upsweep::transform_inclusive_scan(on..., x, out, same_one, std::max<int>);
  EXPECT_EQ((std::vector{12, 18, 30, 30}), out);
  upsweep::transform_exclusive_scan(on..., x, out, same_one, std::min<int>, {.initial = 20});
  EXPECT_EQ((std::vector{20, 12, 12, 12}), out);
  upsweep::transform_inclusive_scan(on..., x, keys, out, product, std::min<int>,
                                    {.initial = 15, .reverse = true});
  EXPECT_EQ((std::vector{12, 12, 12, 12}), out);
  upsweep::transform_exclusive_scan(on..., x, keys, out, product, std::max<int>, {.initial = 0});
  EXPECT_EQ((std::vector{0, 12, 18, 60}), out);
}

TEST(function_templates, are_operators_of_all_verbs) {
  expect_templates_as_operators();
  expect_templates_as_operators(cpu{.threads = 2});
  expect_templates_after_functions();
  expect_templates_after_functions(cpu{.threads = 2});
}
TEST(function_templates, are_operators_over_ranks) {
  for (int const size : {1, 3})
    loopback::run(size, [size](loopback const& c) {
      ranks const all(c, serial{});
      int const r = c.rank();
      bool const first = r == 0;
      std::vector<int> const x{12 + r, 18, 30 - r}, keys{2 * r, 2 * r, 2 * r + 1}, begins{0};
      std::vector<int> out(3), one(1), to_keys(3);
      EXPECT_EQ(30, upsweep::reduce(all, x, std::max<int>));
      EXPECT_EQ(40, upsweep::reduce(all, x, std::max<int>, {.initial = 40}));
      EXPECT_EQ(12, upsweep::transform_reduce(all, x, same_one, std::min<int>));
      EXPECT_EQ(18 * 18,
                upsweep::transform_reduce(all, x, std::vector{12, 18, 0}, product, std::max<int>));
      std::vector<int> const greatest = first ? std::vector{12, 18, 30} : std::vector{30, 30, 30};
      upsweep::inclusive_scan(all, x, out, std::max<int>);
      EXPECT_EQ(greatest, out);
      upsweep::transform_inclusive_scan(all, x, out, same_one, std::max<int>);
      EXPECT_EQ(greatest, out);
      upsweep::transform_inclusive_scan(all, x, std::vector{1, 1, 1}, out, product, std::max<int>);
      EXPECT_EQ(greatest, out);
      std::vector<int> const before = first ? std::vector{5, 12, 18} : std::vector{30, 30, 30};
      upsweep::exclusive_scan(all, x, out, std::max<int>, {.initial = 5});
      EXPECT_EQ(before, out);
      upsweep::transform_exclusive_scan(all, x, out, same_one, std::max<int>, {.initial = 5});
      EXPECT_EQ(before, out);
      upsweep::transform_exclusive_scan(all, x, std::vector{1, 1, 1}, out, product, std::max<int>,
                                        {.initial = 5});
      EXPECT_EQ(before, out);
      EXPECT_EQ(std::size_t(2 * size),
                upsweep::reduce_runs(all, keys, x, to_keys, out, std::max<int>).total);
      EXPECT_EQ(18, out[0]);
      upsweep::inclusive_scan_runs(all, keys, x, out, std::min<int>);
      EXPECT_EQ((std::vector{12 + r, 12 + r, 30 - r}), out);
      upsweep::exclusive_scan_runs(all, keys, x, out, std::min<int>, {.initial = 14});
      EXPECT_EQ((std::vector{14, 12 + r, 14}), out);
      upsweep::reduce_segments(all, x, begins, one, std::min<int>);
      EXPECT_EQ(12 + r, one[0]);
      upsweep::inclusive_scan_segments(all, x, begins, out, std::max<int>);
      EXPECT_EQ((std::vector{12 + r, 18, 30 - r}), out);
      upsweep::exclusive_scan_segments(all, x, begins, out, std::max<int>, {.initial = 13});
      EXPECT_EQ((std::vector{13, std::max(12 + r, 13), 18}), out);
      upsweep::windowed(all, x, 2, out, std::min<int>);
      EXPECT_EQ(12 + r, out[0]);
      upsweep::weighted_histogram(all, x, x, one, even{0, 40}, std::min<int>);
      EXPECT_EQ(12, one[0]);
    });
}

TEST(functions, are_operators_over_ranks) {
  loopback::run(3, [](loopback const& c) {
    ranks const all(c, serial{});
    int const r = c.rank();
    std::vector<int> const x{12 + r, 18, 30 - r}, begins{0};
    std::vector<int> out(3), keys(3), one(1), counts(2);
    EXPECT_EQ(30, upsweep::reduce(all, x, larger));
    upsweep::inclusive_scan(all, x, out, larger);
    EXPECT_EQ(30, out[2]);
    upsweep::windowed(all, x, 2, out, larger);
    EXPECT_EQ(18, out[0]);
    upsweep::reduce_segments(all, x, begins, one, larger);
    EXPECT_EQ(30 - r, one[0]);
    upsweep::inclusive_scan_segments(all, x, begins, out, larger);
    EXPECT_EQ((std::vector{12 + r, 18, 30 - r}), out);
    EXPECT_EQ(9u, upsweep::reduce_runs(all, x, x, keys, out, larger).total);
    upsweep::inclusive_scan_runs(all, x, x, out, larger);
    EXPECT_EQ(x, out);
    upsweep::weighted_histogram(all, x, x, counts, even{0, 40}, larger);
    EXPECT_EQ((std::vector{18, 30}), counts);
  });
}

TEST(streams, take_braces_for_what_is_left_out) {
  std::vector<int> const x{1, 2};
  auto const total_of = [&](auto&& stream) {
    stream.push(x);
    return stream.result();
  };
  EXPECT_EQ(3, total_of(reduce_stream<int, max>({}, {.initial = 3})));
  EXPECT_EQ(3, total_of(reduce_stream<int, max>({}, {}, {.initial = 3})));
  EXPECT_EQ(3, total_of(reduce_stream<int, max>({.threads = 2}, {.initial = 3})));
  EXPECT_EQ(3, total_of(reduce_stream<int, max>(max{}, {.initial = 3})));
  EXPECT_EQ(3, total_of(reduce_stream<int, max>({.initial = 3})));
  EXPECT_EQ(2, total_of(reduce_stream<int, max>({}, {})));
  EXPECT_EQ(6, total_of(reduce_stream<int>({}, {.initial = 3})));
  std::vector<int> out(2);
  scan_stream<int, max> scans({}, {.initial = 2});
  scans.inclusive(x, out);
  EXPECT_EQ((std::vector{2, 2}), out);
  reduce_runs_stream<int, int, max> runs({}, {.initial = 9}), same_runs({}, {}, {.initial = 9});
  std::vector<int> keys(2);
  EXPECT_EQ(1u, runs.push(x, x, keys, out));
  EXPECT_EQ(9, out[0]);
  EXPECT_EQ(1u, same_runs.push(x, x, keys, out));
  EXPECT_EQ(9, out[0]);
  scan_runs_stream<int, int, max> of_runs({}, {.initial = 9});
  of_runs.inclusive(x, x, out);
  EXPECT_EQ((std::vector{9, 9}), out);
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

/// Orders and equalities may be pointers to member functions, as std::invoke takes them.
struct aged {
  int age;
  [[nodiscard]] bool is_younger(aged const& other) const { return age < other.age; }
  [[nodiscard]] bool is_twin(aged const& other) const { return age == other.age; }
};
TEST(functions, of_members_are_orders_and_equalities) {
  for (int const threads : {1, 3}) {
    cpu const on{.threads = threads};
    std::vector<aged> x, youngest(3);
    for (int i = 0; i < 3000; ++i) x.push_back({i * 7919 % 3001});
    upsweep::top(on, x, youngest, &aged::is_younger);
    upsweep::sort(on, x, &aged::is_younger);
    EXPECT_TRUE(std::is_sorted(x.begin(), x.end(), std::mem_fn(&aged::is_younger)));
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(youngest[k].age, x[k].age);
  }
  unique_stream<aged, bool (aged::*)(aged const&) const> twins(&aged::is_twin);
  std::vector<aged> const two{{1}, {1}, {2}, {2}, {3}};
  std::vector<aged> out(5);
  EXPECT_EQ(twins.push(two, out), 3u);
  EXPECT_EQ(twins.push(std::span(two).last(1), out), 0u);
}

}  // namespace
}  // namespace upsweep::test
