/// Contract 15 over ranks: selections, runs, reductions and scans by key, and histograms of pieces
/// have together the results of one call.
#include <support/random.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>
#include <conformance/cuts.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

/// As short runs as there can be, and long ones, over all cuts of a few elements.
std::vector<std::string> const patterns{"aaaaaa", "aabbbb", "abcdef", "aabbaa", "abbbba"};

TEST(ranks_selections, give_what_one_call_selects) {
  std::vector<int> const x{5, 1, 4, 2, 3, 6, 0};
  auto const odd = [](int e) { return e % 2 == 1; };
  std::vector<int> const odds{5, 1, 3}, evens{4, 2, 6, 0};
  std::vector<std::size_t> const places{0, 1, 4};
  for_all_cuts(x.size(), 3, [&](auto const& cuts) {
    on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
      std::span const piece(x.data() + begin, end - begin);
      std::vector<int> out(piece.size()), no(piece.size()), rest(piece.size());
      expect_the_results(odds, select(all, piece, out, odd), out);
      std::vector<bool> flags(piece.size());
      for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = odd(piece[i]);
      expect_the_results(odds, select(all, piece, flags, out), out);
      std::vector<std::size_t> at(piece.size());
      expect_the_results(places, select_positions(all, piece, at, odd), at);
      expect_the_results(places, select_positions(all, flags, at), at);
      auto const two = partition(all, piece, out, no, odd);
      expect_the_results(odds, two.yes, out);
      expect_the_results(evens, two.no, no);
      auto const three = partition(all, piece, out, no, rest, odd, [](int e) { return e > 3; });
      expect_the_results(odds, three.first, out);
      expect_the_results({4, 6}, three.second, no);
      expect_the_results({2, 0}, three.rest, rest);
    });
  });
}

TEST(ranks_selections, give_the_runs_of_one_call) {
  for (std::string const& x : patterns) {
    std::vector<char> values(x.size());
    std::vector<std::size_t> lengths(x.size()), starts(x.size());
    std::size_t const count = runs(x, values, lengths);
    values.resize(count), lengths.resize(count), starts.resize(run_starts(x, starts));
    for_all_cuts(x.size(), 4, [&](auto const& cuts) {
      on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
        std::vector<char> piece(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                x.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<char> out(piece.size());
        std::vector<std::size_t> to(piece.size());
        expect_the_results(starts, run_starts(all, piece, to), to);
        auto const where = runs(all, piece, out, to);
        expect_the_results(values, where, out);
        expect_the_results(lengths, where, to);
        expect_the_results(values, unique(all, piece, piece), piece);  // in place
      });
    });
  }
}

/// Results by key of values with an operator, beside those of one call.
template <class Op>
void expect_the_results_by_key(std::string const& keys, std::vector<double> const& x, Op const& op,
                               std::vector<std::size_t> const& cuts,
                               options<accumulator_t<Op, double>> const& o) {
  using R = result_t<Op, double>;
  std::vector<char> heads(x.size());
  std::vector<R> totals(x.size()), inclusive(x.size()), exclusive(x.size());
  totals.resize(reduce_runs(keys, x, heads, totals, op, o));
  heads.resize(totals.size());
  inclusive_scan_runs(keys, x, inclusive, op, o);
  exclusive_scan_runs(keys, x, exclusive, op, o);
  on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
    std::span const piece(x.data() + begin, end - begin);
    std::span const its_keys(keys.data() + begin, piece.size());
    std::vector<char> out(piece.size());
    std::vector<R> to(piece.size());
    auto const where = reduce_runs(all, its_keys, piece, out, to, op, o);
    expect_the_results(heads, where, out);
    expect_the_results(totals, where, to);
    inclusive_scan_runs(all, its_keys, piece, to, op, o);
    expect_the_results(inclusive, {piece.size(), begin, x.size()}, to);
    exclusive_scan_runs(all, its_keys, piece, to, op, o);
    expect_the_results(exclusive, {piece.size(), begin, x.size()}, to);
  });
}

TEST(ranks_selections, give_the_bits_by_key_of_one_call_for_all_cuts) {
  random_bits next(test_seed());
  for (std::string const& keys : patterns) {
    std::vector<double> x(keys.size());
    for (double& e : x) e = scattered_double(next);
    for_all_cuts(x.size(), 3, [&](auto const& cuts) {
      expect_the_results_by_key(keys, x, plus{}, cuts, {});
      expect_the_results_by_key(keys, x, argmin{}, cuts, {});
    });
  }
}

TEST(ranks_selections, give_the_bits_by_key_of_long_runs) {
  random_bits next(test_seed());
  for (std::size_t const size : {2u, 5u, 8u}) {
    std::string keys;
    for (char key = 'a'; key < 'g'; ++key)
      keys.append(static_cast<std::size_t>(next.below(400)), key);
    std::vector<double> x(keys.size());
    for (double& e : x) e = scattered_double(next);
    std::vector<std::size_t> cuts{0, x.size()};
    for (std::size_t r = 1; r < size; ++r)
      cuts.push_back(static_cast<std::size_t>(next.below(x.size() + 1)));
    std::sort(cuts.begin(), cuts.end());
    expect_the_results_by_key(keys, x, plus{}, cuts, {.initial = 0.1});
    expect_the_results_by_key(keys, x, exact_sum{}, cuts, {});
  }
}

TEST(ranks_selections, give_the_heads_of_runs_of_any_length) {
  random_bits next(test_seed());
  std::vector<int> x;
  for (int run = 0; x.size() < 40'000; ++run)
    x.insert(x.end(), static_cast<std::size_t>(next.below(run % 9 == 0 ? 9000 : 3)), run);
  std::vector<int> heads(x.size());
  heads.resize(upsweep::unique(x, heads));
  on_pieces({0, 12'345, 30'000, x.size()}, [&](auto const& all, std::size_t begin, auto end) {
    std::span const piece(x.data() + begin, end - begin);
    std::vector<int> out(piece.size());
    expect_the_results(heads, upsweep::unique(all, piece, out), out);
  });
}

TEST(ranks_selections, count_in_bins_what_one_call_counts) {
  std::vector<double> const x{0.5, 3, -1, 2.5, 9, 1, 0, std::numeric_limits<double>::quiet_NaN()};
  std::vector<int> const indices{0, 2, 2, 1, 2, 0, 3, 3};
  std::vector<int> want(3), counted(4);
  auto const outside = histogram(x, want, even{0, 3});
  count_indices(indices, counted);
  on_pieces({0, 3, 3, 7, 8}, [&](auto const& all, std::size_t begin, std::size_t end) {
    std::vector<int> counts(3);
    EXPECT_EQ(outside,
              histogram(all, std::span(x).subspan(begin, end - begin), counts, even{0, 3}));
    EXPECT_EQ(want, counts);
    counts.resize(4);
    count_indices(all, std::span(indices).subspan(begin, end - begin), counts);
    EXPECT_EQ(counted, counts);
  });
}

TEST(ranks_selections, all_throw_when_an_output_is_too_small_on_one) {
  std::atomic<int> own = 0, others = 0;
  auto const refused = [&](int rank, auto const& call) {
    try {
      call();
    } catch (precondition_error const&) {
      own += rank == 1;
    } catch (error const& e) {
      others += std::string(e.what()).starts_with("another rank failed: ");
    }
  };
  loopback::run(3, [&](loopback const& c) {
    ranks const all(c, serial{});
    std::vector<int> const x{c.rank(), 7, 8}, bins{c.rank() == 1 ? 0 : 1};
    std::vector<int> out(c.rank() == 1 ? 2 : 3), keys(3);
    refused(c.rank(), [&] { (void)select(all, x, out, [](int) { return true; }); });
    refused(c.rank(), [&] { (void)unique(all, x, out); });
    refused(c.rank(), [&] { (void)runs(all, x, keys, out); });
    refused(c.rank(), [&] { (void)run_starts(all, x, out); });
    refused(c.rank(), [&] { (void)reduce_runs(all, x, x, keys, out); });
    refused(c.rank(), [&] { inclusive_scan_runs(all, x, x, out); });
    std::vector<int> counts(c.rank() == 1 ? 4 : 9);
    refused(c.rank(), [&] { count_indices(all, x, counts); });
    std::span const fewer(x.data(), c.rank() == 1 ? 2 : 3);
    std::vector<int> to(3);
    refused(c.rank(), [&] { (void)reduce_runs(all, x, fewer, keys, to); });
    refused(c.rank(),
            [&] { inclusive_scan_runs(all, x, fewer, std::span(to).first(fewer.size())); });
    std::vector<int> totals(2);
    refused(c.rank(), [&] { (void)weighted_histogram(all, x, fewer, totals, even{0, 9}); });
  });
  EXPECT_EQ(10, own);
  EXPECT_EQ(20, others);
}

}  // namespace
}  // namespace upsweep::test
