/// Contract 15 over ranks: segments, windows and weighted histograms, selections, runs, reductions
/// and scans by key, and histograms of pieces have together the results of one call.
#include <support/random.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace upsweep::test {
namespace {

/// Calls f(cuts) for all ways to cut [0, n) in `size` pieces, some of them empty.
template <class F>
void for_all_cuts(std::size_t n, std::size_t size, F const& f,
                  std::vector<std::size_t> cuts = {0}) {
  if (cuts.size() == size) {
    cuts.push_back(n);
    return f(cuts);
  }
  for (std::size_t cut = cuts.back(); cut <= n; ++cut) {
    auto more = cuts;
    more.push_back(cut);
    for_all_cuts(n, size, f, more);
  }
}

/// Runs f(ranks, begin, end) on a rank a piece.
template <class F>
void on_pieces(std::vector<std::size_t> const& cuts, F const& f) {
  loopback::run(static_cast<int>(cuts.size()) - 1, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    f(ranks(c, serial{}), cuts[r], cuts[r + 1]);
  });
}

/// The results of all ranks, each of which stores those at `where` in `out`.
template <class T>
void expect_the_results(std::vector<T> const& want, result_piece const& where,
                        std::vector<T> const& out) {
  ASSERT_EQ(want.size(), where.total);
  ASSERT_LE(where.begin + where.count, want.size());
  for (std::size_t i = 0; i < where.count; ++i) EXPECT_EQ(want[where.begin + i], out[i]) << i;
}

/// On how many of two ranks f(ranks) throws a message with these words.
template <class F>
int ranks_that_refuse(std::string const& words, F const& f) {
  std::atomic<int> refused = 0;
  loopback::run(2, [&](loopback const& c) {
    try {
      f(ranks(c, serial{}));
    } catch (error const& e) {
      refused += std::string(e.what()).find(words) != std::string::npos;
    }
  });
  return refused;
}

std::vector<double> some_values(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<double> x(n);
  for (double& e : x) e = scattered_double(next);
  return x;
}

/// Segments that begin at these positions, over pieces that end at these cuts.
template <class Op>
void expect_segments(std::vector<std::size_t> const& begins, std::vector<double> const& x,
                     Op const& op, std::vector<std::size_t> const& cuts,
                     options<accumulator_t<Op, double>> const& o) {
  using R = result_t<Op, double>;
  auto offsets = begins;
  offsets.push_back(x.size());
  std::vector<R> totals(begins.size()), inclusive(x.size()), exclusive(x.size());
  reduce_segments(x, offsets, totals, op, o);
  inclusive_scan_segments(x, offsets, inclusive, op, o);
  exclusive_scan_segments(x, offsets, exclusive, op, o);
  on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
    // What begins at a cut begins on the rank after it, or on the last one.
    std::vector<std::size_t> own;
    bool const last = all.connection.rank() + 1 == all.connection.size();
    for (std::size_t const b : begins)
      if (b >= begin && (b < end || (last && b == end))) own.push_back(b - begin);
    std::span const piece(x.data() + begin, end - begin);
    std::vector<R> out(own.size()), to(piece.size());
    expect_the_results(totals, reduce_segments(all, piece, own, out, op, o), out);
    inclusive_scan_segments(all, piece, own, to, op, o);
    expect_the_results(inclusive, {piece.size(), begin, x.size()}, to);
    exclusive_scan_segments(all, piece, own, to, op, o);
    expect_the_results(exclusive, {piece.size(), begin, x.size()}, to);
  });
}

TEST(ranks_segments, give_the_bits_of_one_call_for_all_cuts) {
  auto const x = some_values(6);
  for (auto const& begins : std::vector<std::vector<std::size_t>>{
           {0}, {0, 0, 3}, {0, 1, 2, 3, 4, 5}, {0, 2, 2, 2, 6}, {0, 5, 6, 6}})
    for_all_cuts(x.size(), 3, [&](auto const& cuts) {
      expect_segments(begins, x, plus{}, cuts, {});
      expect_segments(begins, x, plus{}, cuts, {.initial = 0.1});
    });
  for_all_cuts(x.size(), 4,
               [&](auto const& cuts) { expect_segments({0, 2}, x, argmin{}, cuts, {}); });
}
TEST(ranks_segments, give_the_bits_of_long_segments) {
  auto const x = some_values(3000);
  expect_segments({0, 1, 1000, 1001, 2900}, x, plus{}, {0, 7, 7, 1500, 1777, 2950, 3000}, {});
  expect_segments({0, 1700}, x, plus{}, {0, 100, 900, 1650, 1699, 3000}, {});
}
TEST(ranks_segments, begin_with_a_segment) {
  EXPECT_EQ(2, ranks_that_refuse("in no segment", [](auto const& all) {
              std::vector<int> const x{1, 2}, begins{1};
              std::vector<int> out(1);
              (void)reduce_segments(all, x, begins, out);
            }));
}

/// Each on the second of three ranks.
TEST(ranks_segments, are_refused_on_all_ranks_with_the_sentence_of_the_first_that_is_wrong) {
  std::vector<std::tuple<std::vector<int>, std::size_t, std::string>> const cases{
      {{0, 4}, 2, "segments: segment 1 of this rank does not begin in its piece of 3 elements"},
      {{2, 1}, 2, "segments: segment 1 of 2 begins before the previous one"},
      {{0, 1}, 3, "reduce_segments: 2 segments begin on this rank, but the output has 3 elements"},
  };
  for (auto const& [begins, outputs, words] : cases) {
    std::atomic<int> own = 0, others = 0;
    loopback::run(3, [&](loopback const& c) {
      std::vector<int> const x{1, 2, 3}, whole{0};
      std::vector<int> out(c.rank() == 1 ? outputs : 1);
      try {
        (void)reduce_segments(ranks(c, serial{}), x, c.rank() == 1 ? begins : whole, out);
      } catch (error const& e) {
        own += c.rank() == 1 && e.what() == words;
        others += c.rank() != 1 && e.what() == "another rank failed: " + words;
      }
    });
    EXPECT_EQ(1, own) << words;
    EXPECT_EQ(2, others) << words;
  }
}
TEST(ranks_windows, without_a_width_are_refused_on_all_ranks) {
  EXPECT_EQ(2, ranks_that_refuse("width", [](auto const& all) {
              std::vector<int> const x{1, 2};
              std::vector<int> out(2);
              (void)windowed(all, x, 0, out);
            }));
}

TEST(ranks_windows, give_the_bits_of_one_call_for_all_cuts) {
  auto const x = some_values(7);
  for (std::size_t const width : {1u, 2u, 4u, 7u, 8u}) {
    std::size_t const windows = x.size() < width ? 0 : x.size() - width + 1;
    std::vector<double> want(windows);
    std::vector<result_t<argmin, double>> places(windows);
    windowed(x, width, want);
    windowed(x, width, places, argmin{});
    for_all_cuts(x.size(), 3, [&](auto const& cuts) {
      on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
        std::span const piece(x.data() + begin, end - begin);
        std::vector<double> out(piece.size());
        std::vector<result_t<argmin, double>> at(piece.size());
        expect_the_results(want, windowed(all, piece, static_cast<int>(width), out), out);
        expect_the_results(places, windowed(all, piece, width, at, argmin{}), at);
      });
    });
  }
}

/// A window may lie on many ranks, of which the first has more elements than it needs.
TEST(ranks_windows, lie_on_many_ranks) {
  auto const x = some_values(12);
  for (std::size_t width = 1; width <= x.size() + 1; ++width) {
    std::vector<double> want(x.size() < width ? 0 : x.size() - width + 1);
    windowed(x, width, want);
    for (auto const& cuts :
         std::vector<std::vector<std::size_t>>{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                                               {0, 1, 4, 5, 9, 9, 12},
                                               {0, 3, 6, 9, 12},
                                               {0, 0, 2, 2, 4, 12, 12}})
      on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
        std::span const piece(x.data() + begin, end - begin);
        std::vector<double> out(piece.size(), -1);
        auto const at = windowed(all, piece, width, out);
        expect_the_results(want, at, out);
        // As many as begin in the piece, and no more.
        std::size_t const last = std::min(end, want.size());
        EXPECT_EQ(last > begin ? last - begin : 0, at.count);
        for (std::size_t i = at.count; i < out.size(); ++i) EXPECT_EQ(-1, out[i]);
      });
  }
}

TEST(ranks_weighted_histogram, gives_the_bits_of_one_call) {
  auto const weights = some_values(2000);
  std::vector<double> x(weights.size()), want(5), products(5);
  random_bits next(test_seed());
  for (double& e : x) e = static_cast<double>(next.below(700)) / 100 - 1;
  x[3] = std::numeric_limits<double>::quiet_NaN();
  auto const outside = weighted_histogram(x, weights, want, even{0, 5});
  std::vector<std::size_t> places(5);
  std::vector<result_t<argmin, double>> least(5);
  (void)weighted_histogram(x, weights, least, even{0, 5}, argmin{});
  for (auto const& cuts : std::vector<std::vector<std::size_t>>{
           {0, 2000}, {0, 0, 3, 5, 1234, 2000, 2000}, {0, 1, 1999, 2000}})
    on_pieces(cuts, [&](auto const& all, std::size_t begin, std::size_t end) {
      auto const part = [&](auto const& of) { return std::span(of).subspan(begin, end - begin); };
      std::vector<double> results(5);
      EXPECT_EQ(outside, weighted_histogram(all, part(x), part(weights), results, even{0, 5}));
      EXPECT_EQ(want, results);
      std::vector<result_t<argmin, double>> found(5);
      (void)weighted_histogram(all, part(x), part(weights), found, even{0, 5}, argmin{});
      for (std::size_t b = 0; b < 5; ++b) EXPECT_EQ(least[b], found[b]);
    });
}

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
  loopback::run(3, [&](loopback const& c) {
    ranks const all(c, serial{});
    auto const refused = [&](auto const& call) {
      try {
        call();
      } catch (precondition_error const&) {
        own += c.rank() == 1;
      } catch (error const& e) {
        others += std::string(e.what()).starts_with("another rank failed: ");
      }
    };
    std::vector<int> const x{c.rank(), 7, 8}, bins{c.rank() == 1 ? 0 : 1};
    std::vector<int> out(c.rank() == 1 ? 2 : 3), keys(3);
    refused([&] { (void)select(all, x, out, [](int) { return true; }); });
    refused([&] { (void)unique(all, x, out); });
    refused([&] { (void)runs(all, x, keys, out); });
    refused([&] { (void)run_starts(all, x, out); });
    refused([&] { (void)reduce_runs(all, x, x, keys, out); });
    refused([&] { inclusive_scan_runs(all, x, x, out); });
    std::vector<int> counts(c.rank() == 1 ? 4 : 9);
    refused([&] { count_indices(all, x, counts); });
    std::span const fewer(x.data(), c.rank() == 1 ? 2 : 3);
    std::vector<int> to(3);
    refused([&] { (void)reduce_runs(all, x, fewer, keys, to); });
    refused([&] { inclusive_scan_runs(all, x, fewer, std::span(to).first(fewer.size())); });
    std::vector<int> totals(2);
    refused([&] { (void)weighted_histogram(all, x, fewer, totals, even{0, 9}); });
  });
  EXPECT_EQ(10, own);
  EXPECT_EQ(20, others);
}

}  // namespace
}  // namespace upsweep::test
