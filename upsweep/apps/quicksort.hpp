/// Quicksort by segmented scans: every segment is split at once, in rounds.
///
/// A round gives each segment a pivot, the median of three, and copies it to the whole segment by a
/// segmented scan. Another scan counts the elements before each element that are less, equal and
/// greater, which gives its new position. The three parts are the segments of the next round. To
/// sort, use upsweep::sort, which is faster by more than an order of magnitude: this is the flat,
/// data-parallel form of a recursive algorithm.
/// Cost: about 2·log2 n rounds, each of 2 segmented scans, a segmented reduction and a permutation.
/// Source: Blelloch 1990, "Prefix sums and their applications", section 1.5.
#pragma once

#include <upsweep/upsweep.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// Keeps the earlier of two values; it has no identity.
struct keep_first {
  static constexpr bool exact = true;
  template <class T>
  T const& operator()(T const& earlier, T const&) const {
    return earlier;
  }
};

/// How many elements are less than the pivot, and how many are equal.
struct split_counts {
  std::size_t less = 0, equal = 0;
};
struct add_splits {
  static constexpr bool exact = true, commutative = true;
  [[nodiscard]] static split_counts identity() { return {}; }
  split_counts operator()(split_counts const& a, split_counts const& b) const {
    return {a.less + b.less, a.equal + b.equal};
  }
};

/// Calls f(k, offsets[k], offsets[k + 1]) for each segment, by several threads.
template <class E, class F>
void for_each_offset(E const& on, std::vector<std::size_t> const& offsets, F const& f) {
  segment_borders<std::size_t const*> const border{offsets.data()};
  for_each_segment(on, border, offsets.size() - 1,
                   [&](std::size_t begin, std::size_t end, auto const&) {
                     for (std::size_t k = begin; k < end; ++k) f(k, offsets[k], offsets[k + 1]);
                   });
}

/// Puts the median of the first, the middle and the last element first.
template <class T>
void put_median_first(T* first, std::size_t n) {
  T &a = first[0], &b = first[n / 2], &c = first[n - 1];
  using std::swap;
  if (b < a) swap(a, b);
  if (c < b) swap(b, c);
  if (b < a) swap(a, b);
  swap(a, b);
}

/// Splits each segment of x into y, and returns the borders of the new segments.
template <class T, class E>
std::vector<std::size_t> split_segments(std::vector<T> const& x, std::vector<T>& y,
                                        std::vector<std::size_t> const& offsets, E const& on) {
  std::size_t const n = x.size(), count = offsets.size() - 1;
  std::vector<T> pivots(n);
  upsweep::inclusive_scan_segments(on, x, offsets, pivots, keep_first{});
  std::vector<split_counts> marks(n), places(n), totals(count);
  for_each_offset(on, offsets, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      marks[i] = {x[i] < pivots[i], !(x[i] < pivots[i]) && !(pivots[i] < x[i])};
  });
  upsweep::reduce_segments(on, marks, offsets, totals, add_splits{});
  upsweep::exclusive_scan_segments(on, marks, offsets, places, add_splits{});
  std::vector<std::size_t> borders(3 * count + 1);
  for_each_offset(on, offsets, [&](std::size_t k, std::size_t begin, std::size_t end) {
    std::size_t const equal = begin + totals[k].less, greater = equal + totals[k].equal;
    for (std::size_t i = begin; i < end; ++i)
      y[marks[i].less    ? begin + places[i].less
        : marks[i].equal ? equal + places[i].equal
                         : greater + (i - begin) - places[i].less - places[i].equal] = x[i];
    borders[3 * k + 1] = equal;
    borders[3 * k + 2] = greater;
    borders[3 * k + 3] = end;
  });
  borders.resize(upsweep::unique(on, borders, borders));  // no empty segments
  return borders;
}

}  // namespace upsweep::detail

namespace upsweep {

namespace apps {

/// Called after each round with the elements and the n + 1 borders of their n segments.
struct ignore_rounds {
  template <class T>
  void operator()(std::vector<T> const&, std::vector<std::size_t> const&) const {}
};

/// Sorts `x` by <, a strict weak order, and returns the number of rounds. Elements are copied; the
/// order of equal elements is unspecified. NaN breaks the order: upsweep::sort has a total one.
template <class T, executor E = cpu, class AfterRound = ignore_rounds>
std::size_t quicksort(std::vector<T>& x, E const& on = {}, AfterRound const& after_round = {}) {
  using namespace upsweep::detail;
  std::vector<std::size_t> offsets{0};
  if (!x.empty()) offsets.push_back(x.size());
  std::vector<T> y(x.size());
  std::size_t rounds = 0;
  for (bool split = x.size() > 1; split; ++rounds) {
    for_each_offset(on, offsets, [&](std::size_t, std::size_t begin, std::size_t end) {
      put_median_first(&x[begin], end - begin);
    });
    auto borders = split_segments(x, y, offsets, on);
    split = borders.size() > offsets.size();  // else each segment's elements are equal
    std::swap(x, y);
    std::swap(offsets, borders);
    after_round(std::as_const(x), std::as_const(offsets));
  }
  return rounds;
}

}  // namespace apps

}  // namespace upsweep
