/// Contract 15 over ranks: each has a piece, and the results have the bits of one call.
#include <support/random.hpp>
#include <upsweep/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

struct bracketed {
  template <class>
  using accumulator = std::string;
  std::string lift(char x) const { return std::string(1, x); }
  std::string operator()(std::string const& a, std::string const& b) const {
    return "(" + a + b + ")";
  }
};

/// Where each of `size` pieces of n elements begins: even, or at random places, some empty.
std::vector<std::size_t> cuts_of(std::size_t n, int size, std::uint64_t salt) {
  random_bits next(test_seed() + salt);
  std::vector<std::size_t> cuts{0};
  for (int r = 1; r < size; ++r)
    cuts.push_back(salt % 2 == 0 ? n * static_cast<std::size_t>(r) / static_cast<std::size_t>(size)
                                 : static_cast<std::size_t>(next.below(n + 1)));
  cuts.push_back(n);
  if (size > 1 && salt % 3 == 1) cuts[1] = 0;                // the first is empty
  if (size > 1 && salt % 3 == 2) cuts[cuts.size() - 2] = n;  // or the last
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

template <class Op, class T>
void expect_the_bits_of_one_call(std::vector<T> const& x, Op const& op, int size,
                                 std::uint64_t salt, options<accumulator_t<Op, T>> const& o) {
  using R = result_t<Op, T>;
  auto const cuts = cuts_of(x.size(), size, salt);
  std::vector<R> inclusive(x.size()), exclusive(x.size()), want(x.size());
  std::vector<R> totals(static_cast<std::size_t>(size));
  loopback::run(size, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    ranks const all(c, serial{});
    auto const piece = std::span(x).subspan(cuts[r], cuts[r + 1] - cuts[r]);
    totals[r] = upsweep::reduce(all, piece, op, o);
    upsweep::inclusive_scan(all, piece, std::span(inclusive).subspan(cuts[r], piece.size()), op, o);
    if constexpr (monoid_over<Op, accumulator_t<Op, T>>)
      upsweep::exclusive_scan(all, piece, std::span(exclusive).subspan(cuts[r], piece.size()), op,
                              o);
  });
  auto const total = upsweep::reduce(x, op, o);
  for (auto const& each : totals) EXPECT_EQ(each, total) << size << " ranks, " << seed_note();
  upsweep::inclusive_scan(x, want, op, o);
  EXPECT_EQ(want, inclusive) << size << " ranks, " << seed_note();
  if constexpr (monoid_over<Op, accumulator_t<Op, T>>) {
    upsweep::exclusive_scan(x, want, op, o);
    EXPECT_EQ(want, exclusive) << size << " ranks, " << seed_note();
  }
}

TEST(ranks, have_the_bits_of_one_call) {
  random_bits next(test_seed());
  for (int const size : {1, 2, 3, 4, 5, 7, 8, 13, 16})
    for (std::uint64_t salt = 0; salt < 6; ++salt) {
      std::vector<double> x(1 + 7 * salt + static_cast<std::size_t>(next.below(3000)));
      for (double& e : x) e = static_cast<double>(next.below(2001)) * 1e-3 - 1;
      expect_the_bits_of_one_call(x, plus{}, size, salt, {});
      expect_the_bits_of_one_call(x, plus{}, size, salt, {.initial = 0.1});
      expect_the_bits_of_one_call(x, max{}, size, salt, {});
      expect_the_bits_of_one_call(x, argmin{}, size, salt, {});
    }
}

TEST(ranks, join_strings_in_their_order) {
  std::string const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ";
  std::vector<char> const x(letters.begin(), letters.end());
  for (int const size : {1, 2, 3, 5, 8, 13})
    for (std::uint64_t salt = 0; salt < 6; ++salt)
      expect_the_bits_of_one_call(x, bracketed{}, size, salt, {});
}

TEST(ranks, without_elements_have_the_identity) {
  loopback::run(3, [](loopback const& c) {
    EXPECT_EQ(0.0, upsweep::reduce(ranks(c, serial{}), std::vector<double>{}));
    EXPECT_THROW((void)upsweep::reduce(ranks(c, serial{}), std::vector<double>{}, argmax{}),
                 precondition_error);
  });
}

TEST(ranks, all_throw_when_the_operator_throws_on_one) {
  struct thrown : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  auto const op = monoid(
      [](int a, int b) { return b == 100 ? throw thrown("a hundred is refused") : a + b; }, 0);
  for (int const bad : {0, 2, 4}) {
    std::atomic<int> own = 0, others = 0;
    loopback::run(5, [&](loopback const& c) {
      std::vector<int> const piece{1, c.rank() == bad ? 100 : 2, 3, 4};
      try {
        (void)upsweep::reduce(ranks(c, serial{}), piece, op);
      } catch (thrown const&) {
        ++own;
      } catch (error const& e) {
        others += std::string(e.what()) == "another rank failed: a hundred is refused";
      }
      // They can go on.
      EXPECT_EQ(10, upsweep::reduce(ranks(c, serial{}), std::vector<int>{2}, op));
    });
    EXPECT_EQ(1, own);
    EXPECT_EQ(4, others);
  }
}

TEST(ranks, may_work_in_place) {
  loopback::run(4, [](loopback const& c) {
    std::vector<long> piece(10, 1);
    upsweep::inclusive_scan(ranks(c, cpu{}), piece, piece);
    EXPECT_EQ(10 * (c.rank() + 1), piece.back());
  });
}

}  // namespace
}  // namespace upsweep::test
