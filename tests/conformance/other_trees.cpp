/// The trees that are not the prefix tree: tree::pairwise and anchored blocks.
#include <conformance/backends.hpp>
#include <conformance/contract_test.hpp>
#include <conformance/mutants.hpp>
#include <support/pieces.hpp>
#include <support/probes.hpp>
#include <support/types.hpp>
#include <upsweep/anchored_scan.hpp>
#include <upsweep/partial.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

// tree::pairwise: which expression it is on every executor, in pieces and over ranks, what it
// costs, and which verbs refuse it. The bits of many operators are in tests/golden/other_trees.cpp.

/// The definition, as P4016R0 writes it: pairs, level by level.
std::string by_definition(std::vector<char> const& x) {
  std::vector<std::string> level;
  for (char const c : x) level.emplace_back(1, c);
  while (level.size() > 1) {
    std::vector<std::string> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(bracketed{}(level[i], level[i + 1]));
    if (level.size() % 2 != 0) next.push_back(level.back());
    level = next;
  }
  return level[0];
}

options<std::string> const pairwise{.tree = tree::pairwise};

TEST(pairwise, has_the_expression_of_its_definition_at_every_size) {
  EXPECT_EQ(reduce(letters(7), bracketed{}), "((((01)(23))(45))6)");
  EXPECT_EQ(reduce(letters(7), bracketed{}, pairwise), "(((01)(23))((45)6))");
  std::size_t differ = 0;
  for (std::size_t n = 1; n <= 300; ++n) {
    auto const x = letters(n);
    auto const expected = by_definition(x);
    EXPECT_EQ(reduce(x, bracketed{}, pairwise), expected) << n;
    EXPECT_EQ(reduce(serial{}, x, bracketed{}, pairwise), expected) << n;
    differ += n <= 64 && expected != reduce(x, bracketed{});
  }
  EXPECT_EQ(differ, 42u);
}

TEST(pairwise, has_one_expression_on_any_number_of_threads) {
  every_call_starts_threads const small_too;
  for (std::size_t const n : {1u, 7u, 64u, 1023u, 4100u, 70001u}) {
    auto const x = letters(n);
    auto const expected = by_definition(x);
    std::vector<char> const reversed(x.rbegin(), x.rend());
    for (int threads = 1; threads <= 7; ++threads) {
      EXPECT_EQ(reduce(cpu{threads}, x, bracketed{}, pairwise), expected) << n;
      EXPECT_EQ(reduce(cpu{threads, mode::fast}, x, bracketed{}, pairwise), expected) << n;
      EXPECT_EQ(
          reduce(cpu{threads}, reversed, bracketed{}, {.reverse = true, .tree = tree::pairwise}),
          expected)
          << n;
    }
    // An executor that has no more than an executor needs.
    EXPECT_EQ(reduce(model<right>{}, x, bracketed{}, pairwise), expected) << n;
  }
}

TEST(pairwise, has_the_initial_value_on_the_left_of_the_whole) {
  options<std::string> const o{.initial = "i", .tree = tree::pairwise};
  EXPECT_EQ(reduce(letters(7), bracketed{}, o), "(i(((01)(23))((45)6)))");
  EXPECT_EQ(reduce(letters(1), bracketed{}, o), "(i0)");
  EXPECT_EQ(reduce(letters(0), bracketed{}, o), "i");
  EXPECT_EQ(transform_reduce(
                letters(3), [](char c) { return static_cast<char>(c + 1); }, bracketed{}, o),
            "(i((12)3))");
}

TEST(pairwise, is_that_of_pieces_streams_ranks_and_lines) {
  auto const x = letters(55);
  auto const expected = by_definition(x);
  for (std::size_t cut = 0; cut <= x.size(); ++cut) {
    partial<char, bracketed> first(0), later(cut);
    first.push(std::span(x).first(cut));
    later.push(std::span(x).subspan(cut));
    EXPECT_EQ(merge(first, later).result(pairwise), expected) << cut;
    reduce_stream<char, bracketed> stream(pairwise);
    stream.push(std::span(x).first(cut));
    stream.push(std::span(x).subspan(cut));
    EXPECT_EQ(stream.result(), expected) << cut;
    loopback::run(2, [&](loopback const& c) {
      auto const mine = c.rank() == 0 ? std::span(x).first(cut) : std::span(x).subspan(cut);
      EXPECT_EQ(reduce(ranks(c, serial{}), mine, bracketed{}, pairwise), expected) << cut;
    });
  }
  std::vector<std::string> lines(5);
  reduce(strided_view<char const>(x.data(), {11, 5}), strided_view<std::string>(lines.data(), {5}),
         bracketed{}, {.axis = 0, .tree = tree::pairwise});
  std::vector<char> third;
  for (std::size_t i = 3; i < x.size(); i += 5) third.push_back(x[i]);
  EXPECT_EQ(lines[3], by_definition(third));
}

TEST(pairwise, applies_the_operator_no_more_often_than_the_contract_says) {
  std::atomic<std::size_t> applications{0};
  counted<name_tree> const op{{}, &applications};
  for (std::size_t const n : {4097u, 65535u, 100'003u}) {
    std::vector<tree_name> const x(n, tree_name{3});
    for (int const threads : {1, 3}) {
      applications = 0;
      (void)reduce(cpu{threads}, x, op, {.tree = tree::pairwise});
      EXPECT_GE(applications, n - 1);
      EXPECT_LE(static_cast<double>(applications), 1.05 * static_cast<double>(n));
    }
  }
}

TEST(pairwise, lets_exceptions_of_the_operator_through) {
  auto const throws = [](double a, double b) {
    if (b == 40.0) throw std::runtime_error("forty");
    return a + b;
  };
  std::vector<double> x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) + 0.5;
  x[63] = 40.0;
  EXPECT_THROW((void)reduce(x, throws, {.tree = tree::pairwise}), std::runtime_error);
}

template <class Call>
void expect_refused(Call const& call) {
  EXPECT_TRUE(refuses({".tree", "tree::pairwise"}, call));
}

TEST(pairwise, is_refused_where_it_is_not_offered) {
  std::vector<double> const x{1, 2, 3, 4, 5, 6, 7};
  std::vector<double> out(7), one(1);
  std::vector<int> const keys(7, 1);
  std::vector<int> keys_out(7);
  std::vector<std::size_t> const offsets{0, 7};
  plus const op;
  options<double> const o{.tree = tree::pairwise};
  expect_refused([&] { upsweep::inclusive_scan(x, out, op, o); });
  expect_refused([&] { upsweep::exclusive_scan(x, out, op, o); });
  expect_refused(
      [&] { upsweep::transform_inclusive_scan(x, out, [](double v) { return v; }, op, o); });
  expect_refused([&] { cumulative_distribution(x, out, o); });
  expect_refused([&] { reduce_segments(x, offsets, one, op, o); });
  expect_refused([&] { inclusive_scan_segments(x, offsets, out, op, o); });
  expect_refused([&] { exclusive_scan_segments(x, offsets, out, op, o); });
  expect_refused([&] { (void)reduce_runs(keys, x, keys_out, out, op, o); });
  expect_refused([&] { inclusive_scan_runs(keys, x, out, op, o); });
  expect_refused([&] { exclusive_scan_runs(keys, x, out, op, o); });
  expect_refused([&] { windowed(x, 7, one, op, o); });
  strided_view<double const> const matrix(x.data(), {1, 7});
  strided_view<double> const results(out.data(), {1, 7});
  expect_refused([&] { upsweep::inclusive_scan(matrix, results, op, o); });
  expect_refused([&] { (void)scan_stream<double>(o); });
  expect_refused([&] { (void)reduce_runs_stream<int, double>(o); });
  expect_refused([&] { (void)scan_runs_stream<int, double>(o); });
  EXPECT_EQ(out, std::vector<double>(7));
}

// anchored_scan: which expression its results are, what a copy keeps, and what it refuses. The
// bits of many operators are in tests/golden/other_trees.cpp.

/// block(k, j) of the combine tree.
std::string block(std::vector<char> const& x, std::size_t begin, std::size_t size) {
  if (size == 1) return std::string(1, x[begin]);
  return "(" + block(x, begin, size / 2) + block(x, begin + size / 2, size / 2) + ")";
}

/// The definition: a loop over blocks of 256, the fold of each begins with the state before it.
std::string by_definition(std::vector<char> const& x, std::size_t m, std::string fold = "") {
  for (std::size_t at = 0; at < m;) {
    std::size_t const rest = m - at < 256 ? m - at : 256;
    std::size_t size = 256;
    while (size > rest) size /= 2;
    fold = fold.empty() ? block(x, at, size) : "(" + fold + block(x, at, size) + ")";
    at += size;
  }
  return fold;
}

TEST(anchored_scan, has_the_expression_of_its_definition_at_every_size) {
  auto const x = letters(600);
  std::vector<std::string> y(x.size()), after(x.size());
  anchored_scan<char, bracketed> plain, continued(bracketed{}, "i");
  plain.inclusive(std::span(x), std::span(y));
  continued.inclusive(std::span(x), std::span(after));
  EXPECT_EQ(y[6], "((((01)(23))(45))6)");
  EXPECT_EQ(after[6], "(((i((01)(23)))(45))6)");
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(y[i], by_definition(x, i + 1)) << i;
    ASSERT_EQ(after[i], by_definition(x, i + 1, "i")) << i;
  }
  EXPECT_EQ(plain.result(), y.back());
  EXPECT_EQ(plain.size(), x.size());
}

TEST(anchored_scan, continues_from_a_copy) {
  std::vector<int> const x(300, 1);
  std::vector<int> y(300);
  anchored_scan<int> sums;
  sums.inclusive(std::vector<int>(255, 1), std::span(y).first(255));
  anchored_scan<int> const saved = sums;
  sums.inclusive(std::span(x).subspan(255), std::span(y).subspan(255));
  EXPECT_EQ(sums.result(), 300);
  EXPECT_EQ(saved.result(), 255);
}

TEST(anchored_scan, may_be_in_place) {
  std::vector<int> x(300, 1);
  anchored_scan<int> sums;
  sums.inclusive(std::span(x), std::span(x));
  for (int i = 0; i < 300; ++i) EXPECT_EQ(x[static_cast<std::size_t>(i)], i + 1);
}

struct throws_at_9 {
  int operator()(int a, int b) const {
    if (a == 9 || b == 9) throw std::runtime_error("9");
    return a + b;
  }
};

TEST(anchored_scan, continues_after_the_last_element_that_an_operator_took) {
  std::vector<int> const x{1, 2, 3, 9, 4}, rest{4, 5};
  std::vector<int> y(5), z(2);
  anchored_scan<int, throws_at_9> sums;
  EXPECT_THROW(sums.inclusive(std::span(x), std::span(y)), std::runtime_error);
  EXPECT_EQ(sums.size(), 3u);
  sums.inclusive(std::span(rest), std::span(z));
  EXPECT_EQ(z, (std::vector<int>{10, 15}));
}

TEST(anchored_scan, refuses_results_of_nothing_and_overlaps) {
  EXPECT_TRUE(refuses({"anchored_scan", "initial"}, [] { (void)anchored_scan<int>().result(); }));
  EXPECT_EQ(anchored_scan<int>(plus{}, 3).result(), 3);
  std::vector<int> x(10, 1);
  EXPECT_TRUE(refuses({"anchored_scan", "overlap"}, [&] {
    anchored_scan<int>().inclusive(std::span(x).first(9), std::span(x).last(9));
  }));
}

}  // namespace
}  // namespace upsweep::test
