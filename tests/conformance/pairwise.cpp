/// tree::pairwise: which expression it is on every executor, in pieces and over ranks, what it
/// costs, and which verbs refuse it. The bits of many operators are in tests/golden/pairwise.cpp.
#include <conformance/every_call_starts_threads.hpp>
#include <conformance/mutants.hpp>
#include <conformance/refusals.hpp>
#include <support/bracketed.hpp>
#include <support/probes.hpp>
#include <support/types.hpp>
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

}  // namespace
}  // namespace upsweep::test
