/// Contract 15 over ranks: segments, windows and weighted histograms of pieces have together the
/// results of one call.
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
  std::atomic<int> refused = 0;
  loopback::run(2, [&](loopback const& c) {
    std::vector<int> const x{1, 2}, begins{1};
    std::vector<int> out(1);
    try {
      (void)reduce_segments(ranks(c, serial{}), x, begins, out);
    } catch (error const& e) {
      refused += std::string(e.what()).find("in no segment") != std::string::npos;
    }
  });
  EXPECT_EQ(2, refused);
}

/// Each on the second of three ranks.
TEST(ranks_segments, are_refused_on_all_ranks_with_the_sentence_of_the_first_that_is_wrong) {
  struct {
    std::vector<int> begins;
    std::size_t outputs;
    std::string words;
  } const cases[]{
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
  std::atomic<int> refused = 0;
  loopback::run(2, [&](loopback const& c) {
    std::vector<int> const x{1, 2};
    std::vector<int> out(2);
    try {
      (void)windowed(ranks(c, serial{}), x, 0, out);
    } catch (error const& e) {
      refused += std::string(e.what()).find("width") != std::string::npos;
    }
  });
  EXPECT_EQ(2, refused);
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

}  // namespace
}  // namespace upsweep::test
