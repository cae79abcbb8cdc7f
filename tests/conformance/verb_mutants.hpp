/// Executors whose verbs on scan have one defect each. The checks of the contract must fail on
/// them, and pass where the defect is `none`.
#pragma once

#include <support/tree.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

/// Everything right; defects hide what they change.
struct none {
  /// Of select and its relatives, and of runs of equal keys: the marks, and what an output takes.
  template <class Marks>
  static void find(Marks const& marks, std::vector<detail::mark>& all) {
    marks(0, all.size(), all.data());
  }
  static void change(std::vector<std::size_t>&) {}
  /// Of sorts.
  static constexpr bool keeps_order = true, takes_last = true;
  template <class T, class Less>
  static bool comes_before(T const& a, T const& b, Less const& less) {
    return less(a, b);
  }
  /// Of counted indices.
  static constexpr bool checks_first = true;
  /// Of histograms: the bin of a value, -1 below, -2 above, -3 NaN.
  template <class T>
  static long bin_of(T value, std::vector<double> const& borders, bool closed_right) {
    return reference::bin_of(value, borders, closed_right);
  }
  /// Of segments and windows: the prefixes of the elements, which begin at `begin`.
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, std::size_t, Op const& op) {
    return tree_prefixes(x, op);
  }
  static constexpr bool stores_last = true, stores_empty = true;
  /// Of pad and unpad.
  static constexpr bool moves_in_order = true, fills_last = true;
};

/// The last of what an output takes is lost, as by a tile whose tail is not stored.
struct last_lost : none {
  static void change(std::vector<std::size_t>& taken) {
    if (taken.size() > 2) taken.pop_back();
  }
};
/// Two elements are exchanged, as if threads did not wait for their turn.
struct order_lost : none {
  static void change(std::vector<std::size_t>& taken) {
    if (taken.size() > 2) std::swap(taken[taken.size() / 2], taken[taken.size() / 2 - 1]);
  }
};
/// One element more is stored than the output takes.
struct one_too_many : none {
  static void change(std::vector<std::size_t>& taken) {
    if (!taken.empty()) taken.push_back(taken.back());
  }
};
/// The first element of a tile is always taken, as the head of a run that began in the tile before.
struct tile_begins_run : none {
  template <class Marks>
  static void find(Marks const& marks, std::vector<detail::mark>& all) {
    none::find(marks, all);
    for (std::size_t i = 4096; i < all.size(); i += 4096) all[i] = 0;
  }
};
/// The first element of a tile is never taken.
struct tile_begins_late : none {
  template <class Marks>
  static void find(Marks const& marks, std::vector<detail::mark>& all) {
    none::find(marks, all);
    for (std::size_t i = 4096; i < all.size(); i += 4096) all[i] = 255;
  }
};
/// Counted in one pass, stored in another.
struct calls_twice : none {
  template <class Marks>
  static void find(Marks const& marks, std::vector<detail::mark>& all) {
    none::find(marks, all);
    none::find(marks, all);
  }
};
/// From the last element to the first, so that the last exception arrives.
struct marks_backwards : none {
  template <class Marks>
  static void find(Marks const& marks, std::vector<detail::mark>& all) {
    for (std::size_t i = all.size(); i-- > 0;) marks(i, i + 1, &all[i]);
  }
};
struct exception_lost : none {
  template <class Marks>
  static void find(Marks const& marks, std::vector<detail::mark>& all) {
    try {
      none::find(marks, all);
    } catch (std::exception const&) {
    }
  }
};

/// select and the verbs built on it, with marks and positions found one after the other.
template <class Defect>
struct selecting : serial {
  template <class Marks, class... Outputs>
  auto select(Marks const& marks, std::size_t n, Outputs const&... outputs) const {
    std::vector<detail::mark> all(n, 255);
    Defect::find(marks, all);
    detail::selected_counts<sizeof...(Outputs)> counts;
    std::size_t k = 0;
    ((counts.of[k++] = store(all, outputs)), ...);
    return counts;
  }
  template <class Output>
  static std::size_t store(std::vector<detail::mark> const& all, Output const& output) {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] == output.takes) taken.push_back(i);
    std::size_t const count = taken.size();
    Defect::change(taken);
    for (std::size_t to = 0; to < std::min(taken.size(), output.room); ++to)
      output.put(to, taken[to]);
    return std::min(count, taken.size());
  }
};

/// Equal elements are in the opposite order.
struct unstable : none {
  static constexpr bool keeps_order = false;
};
/// The last element stays where it is.
struct last_unsorted : none {
  static constexpr bool takes_last = false;
};
/// NaN of both signs before the numbers, and -0 equal to +0.
struct nan_first : none {
  template <class T, class Less>
  static bool comes_before(T const& a, T const& b, Less const& less) {
    if constexpr (std::is_same_v<T, float>) {
      float const x = less(1.0f, 2.0f) ? a : b, y = less(1.0f, 2.0f) ? b : a;
      return x != x ? y == y : x < y;
    } else {
      return less(a, b);
    }
  }
};

/// Sorts of its own, by positions.
template <class Defect>
struct sorting : serial {
  template <class It, class Less>
  static std::vector<std::size_t> order(It const& x, std::size_t n, Less const& less) {
    using T = std::iter_value_t<It>;
    auto const at = [&](std::size_t i) { return static_cast<T>(detail::element_at(x, i)); };
    std::vector<std::size_t> p(n);
    std::iota(p.begin(), p.end(), std::size_t{0});
    auto const before = [&](std::size_t i, std::size_t j) {
      return Defect::comes_before(at(i), at(j), less);
    };
    std::stable_sort(p.begin(), p.end() - (Defect::takes_last || n == 0 ? 0 : 1),
                     [&](std::size_t i, std::size_t j) {
                       return before(i, j) || (!Defect::keeps_order && !before(j, i) && i > j);
                     });
    return p;
  }
  template <class T>
  static void move(T* x, std::vector<std::size_t> const& p) {
    std::vector<T> const old(x, x + p.size());
    for (std::size_t i = 0; i < p.size(); ++i) x[i] = old[p[i]];
  }
  template <class T, class Less>
  void sort(T* x, std::size_t n, Less const& less) const {
    move(x, order(x, n, less));
  }
  template <class K, class V, class Less>
  void sort_by_key(K* keys, V* values, std::size_t n, Less const& less) const {
    auto const p = order(keys, n, less);
    move(keys, p);
    move(values, p);
  }
  template <class It, class To, class Less>
  void argsort(It const& x, std::size_t n, To const& to, Less const& less) const {
    auto const p = order(x, n, less);
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<std::iter_value_t<To>>(p[i]);
  }
  template <class It, class To, class Less>
  void top(It const& x, std::size_t n, To const& to, std::size_t count, Less const& less) const {
    auto const p = order(x, n, less);
    for (std::size_t i = 0; i < count; ++i) to[i] = detail::element_at(x, p[i]);
  }
  template <class It>
  auto rank_neighbors(It const& x, std::size_t n, std::size_t rank) const {
    auto const p = order(x, n, ascending{});
    std::size_t const next = Defect::takes_last && rank + 1 < n ? rank + 1 : rank;
    return detail::rank_neighbors<std::iter_value_t<It>>{detail::element_at(x, p[rank]),
                                                         detail::element_at(x, p[next])};
  }
};

/// A number on a border is in the bin below it.
struct border_below : none {
  template <class T>
  static long bin_of(T value, std::vector<double> const& borders, bool closed_right) {
    long const b = reference::bin_of(value, borders, closed_right);
    return b > 0 && static_cast<double>(value) == borders[static_cast<std::size_t>(b)] ? b - 1 : b;
  }
};
/// NaN is counted above the bins.
struct nan_above : none {
  template <class T>
  static long bin_of(T value, std::vector<double> const& borders, bool closed_right) {
    long const b = reference::bin_of(value, borders, closed_right);
    return b == -3 ? -2 : b;
  }
};
/// A rounded quotient decides.
struct quotient_decides : none {
  template <class T>
  static long bin_of(T value, std::vector<double> const& borders, bool closed_right) {
    long const b = reference::bin_of(value, borders, closed_right);
    auto const bins = static_cast<double>(borders.size() - 1);
    double const low = borders.front(), step = (borders.back() - low) / bins;
    return b < 0 ? b
                 : static_cast<long>(std::min((static_cast<double>(value) - low) / step, bins - 1));
  }
};
/// The last element is not counted, and of segments and windows the last one is not stored.
struct last_not_stored : none {
  static constexpr bool stores_last = false;
};
/// Counts are stored although an element is not an index.
struct stored_before_checked : none {
  static constexpr bool checks_first = false;
};

template <class Defect>
struct counting : serial {
  /// Calls count(bin, i) for the elements in bins.
  template <class It, class Levels, class F>
  static outside_counts find_bins(It const& x, std::size_t n, std::size_t size,
                                  Levels const& levels, histogram_options const& o,
                                  F const& count) {
    std::vector<double> borders;
    for (std::size_t b = 0; b <= size; ++b) borders.push_back(static_cast<double>(levels[b]));
    outside_counts outside;
    for (std::size_t i = 0; i + (Defect::stores_last ? 0 : 1) < n; ++i) {
      std::iter_value_t<It> const value = detail::element_at(x, i);
      long const b = Defect::bin_of(value, borders, o.closed_right);
      if (b >= 0)
        count(static_cast<std::size_t>(b), i);
      else
        ++(b == -1 ? outside.below : b == -2 ? outside.above : outside.nan);
    }
    return outside;
  }
  template <class It, class To, class Levels>
  outside_counts histogram(It const& x, std::size_t n, To const& to, std::size_t size,
                           Levels const& levels, histogram_options const& o) const {
    std::fill_n(to, size, std::iter_value_t<To>{});
    return find_bins(x, n, size, levels, o, [&](std::size_t b, std::size_t) { ++to[b]; });
  }
  template <class It, class Weights, class Sink, class Levels, class Op>
  outside_counts weighted_histogram(It const& x, Weights const& weights, std::size_t n,
                                    Sink const& results, std::size_t size, Levels const& levels,
                                    Op const& op, histogram_options const& o) const {
    using A = accumulator_t<Op, std::iter_value_t<Weights>>;
    std::vector<std::vector<A>> of_bin(size);
    auto const outside = find_bins(x, n, size, levels, o, [&](std::size_t b, std::size_t i) {
      of_bin[b].push_back(detail::element_at(weights, i));
    });
    for (std::size_t b = 0; b < size; ++b)
      results(b,
              of_bin[b].empty() ? identity_of<A>(op) : Defect::prefixes(of_bin[b], 3, op).back());
    return outside;
  }
  template <class It, class To>
  void count_indices(It const& x, std::size_t n, To const& to, std::size_t size) const {
    std::vector<std::size_t> counts(size);
    std::size_t wrong = n;
    for (std::size_t i = n - (Defect::stores_last || n == 0 ? 0 : 1); i-- > 0;) {
      auto const k = static_cast<std::size_t>(detail::element_at(x, i));
      if (k < size)
        ++counts[k];
      else
        wrong = i;
    }
    if (wrong == n || !Defect::checks_first) std::copy(counts.begin(), counts.end(), to);
    auto const sentence = "the element at position " + std::to_string(wrong) + " is not an index";
    if (wrong < n) throw precondition_error(sentence.c_str());
  }
};

/// The tree begins at multiples of 8 of the input, not at the begin of the segment.
struct not_anchored : none {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, std::size_t begin, Op const& op) {
    auto const front = static_cast<std::ptrdiff_t>(std::min(x.size(), (8 - begin % 8) % 8));
    std::vector<A> p = tree_prefixes(std::vector<A>(x.begin(), x.begin() + front), op);
    for (A const& each : tree_prefixes(std::vector<A>(x.begin() + front, x.end()), op))
      p.push_back(front == 0 ? each : op(p[static_cast<std::size_t>(front) - 1], each));
    return p;
  }
};
/// From left to right, like a loop.
struct by_a_loop : none {
  template <class A, class Op>
  static std::vector<A> prefixes(std::vector<A> const& x, std::size_t, Op const& op) {
    std::vector<A> p;
    for (A const& each : x) p.push_back(p.empty() ? each : op(p.back(), each));
    return p;
  }
};
/// Empty segments keep what their result held.
struct empty_not_stored : none {
  static constexpr bool stores_empty = false;
};

template <class Defect>
struct in_segments : serial {
  template <class Call>
  static auto prefixes(Call const& c, std::size_t begin, std::size_t end) {
    std::vector<typename Call::accumulator> x;
    for (std::size_t i = begin; i < end; ++i) x.push_back(c.in(i));
    return x.empty() ? x : Defect::prefixes(x, begin, c.op);
  }
  template <class Call, class Offsets, class Sink>
  void reduce_segments(Call const& c, Offsets const& at, std::size_t count, Sink const& out) const {
    using A = typename Call::accumulator;
    for (std::size_t k = 0; k + (Defect::stores_last ? 0 : 1) < count; ++k) {
      auto const p = prefixes(c, at[k], at[k + 1]);
      if (!p.empty())
        out(k, c.initial ? c.op(*c.initial, p.back()) : p.back());
      else if (Defect::stores_empty)
        out(k, c.initial ? *c.initial : identity_of<A>(c.op));
    }
  }
  template <scan_kind kind, class Call, class Offsets, class Sink>
  void scan_segments(Call const& c, Offsets const& at, std::size_t count, Sink const& out) const {
    for (std::size_t k = 0; k + (Defect::stores_last ? 0 : 1) < count; ++k) {
      auto const p = prefixes(c, at[k], at[k + 1]);
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (kind == scan_kind::exclusive && i == 0) {
          out(at[k], *c.first);
          continue;
        }
        auto const& prefix = p[kind == scan_kind::inclusive ? i : i - 1];
        out(at[k] + i, c.initial ? c.op(*c.initial, prefix) : prefix);
      }
    }
  }
};

/// Windows, and rows that change their length, as executors with memory of their own have them.
template <class Defect>
struct with_memory : serial {
  static constexpr bool has_own_memory = true;

  template <class Source, class Sink, class Op, class A>
  void windows(Source const& x, Sink const& out, std::size_t count, std::size_t width, Op const& op,
               A const* initial) const {
    for (std::size_t k = 0; k + (Defect::stores_last ? 0 : 1) < count; ++k) {
      std::vector<A> window;
      for (std::size_t i = k; i < k + width; ++i) window.push_back(x(i));
      A const total = Defect::prefixes(window, k, op).back();
      out(k, initial ? op(*initial, total) : total);
    }
  }
  template <class T>
  void resize_rows(T* x, std::size_t rows, std::size_t in, std::size_t out, T const* fill) const {
    for (std::size_t k = 0; k < rows; ++k) {
      bool const from_the_end = (out > in) == Defect::moves_in_order;
      std::size_t const row = from_the_end ? rows - 1 - k : k;
      std::vector<T> const old(x + row * in, x + row * in + std::min(in, out));
      std::copy(old.begin(), old.end(), x + row * out);
      if (fill && (Defect::fills_last || row + 1 < rows))
        std::fill(x + row * out + old.size(), x + (row + 1) * out, *fill);
    }
  }
};
/// Rows are moved over others that have not been moved.
struct rows_overwritten : none {
  static constexpr bool moves_in_order = false;
};
struct last_row_not_filled : none {
  static constexpr bool fills_last = false;
};

}  // namespace upsweep::test
