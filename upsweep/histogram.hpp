/// histogram, weighted_histogram and count_indices: numbers of elements in each bin.
/// histogram_stream: the same for numbers that arrive in chunks.
#pragma once

#include <upsweep/call/heavy_verbs.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/histogram.hpp>
#include <upsweep/generic/histogram/weights.hpp>
#include <upsweep/generic/sort/sorting.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/reduce.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

template <class Out>
constexpr bool stores_counts() {
  if constexpr (is_output<Out>()) {
    using T = std::ranges::range_value_t<Out>;
    constexpr bool integers = std::is_integral_v<T> && !std::is_same_v<T, bool>,
                   writable = std::is_assignable_v<std::ranges::range_reference_t<Out>, T>;
    static_assert(integers, "upsweep: counts are stored in an output of integers");
    static_assert(writable, "upsweep: the output of the counts is const");
    return integers && writable;
  }
  return false;
}

/// The borders of `bins` even bins, or those of a range.
inline even_levels levels_of(even const& e, std::size_t bins) {
  double const width = e.high - e.low;
  expects(e.low < e.high && std::isfinite(width),
          "histogram: the upper end of the bins must be above the lower end, and their distance "
          "must be finite");
  return {e.low, width / static_cast<double>(bins), e.high, bins};
}
/// In what borders are kept: those of integers of 64 bits exactly, others in double, which holds
/// them.
template <class L>
using level_t =
    std::conditional_t<!std::is_integral_v<L> || sizeof(L) < 8, double,
                       std::conditional_t<std::is_signed_v<L>, std::int64_t, std::uint64_t>>;
template <elements Levels>
auto levels_of(Levels const& given, std::size_t bins) {
  using L = level_t<std::ranges::range_value_t<Levels>>;
  if (std::ranges::size(given) != bins + 1)
    fail("histogram: there are %zu levels for %zu bins; give one more level than bins",
         std::ranges::size(given), bins);
  std::vector<L> levels;
  for (std::size_t b = 0; b <= bins; ++b)
    levels.push_back(static_cast<L>(element_at(first_of(given), b)));
  return levels;
}

template <class T>
constexpr bool lies_in_bins() {
  constexpr bool fits = number_key<T> && !std::is_same_v<T, bool>;
  static_assert(fits, "upsweep: histogram takes numbers of at most 8 bytes");
  return fits;
}

/// The levels of these bins, after checking them.
template <class Bins>
auto checked_levels(Bins const& given, std::size_t bins) {
  auto levels = levels_of(given, bins);
  if constexpr (std::is_same_v<Bins, even>)
    if (are_apart(levels)) return levels;
  for (std::size_t b = 0; b < bins; ++b)
    if (!(levels[b] < levels[b + 1]))
      fail("histogram: level %zu of %zu is not above the one before it", b + 1, bins + 1);
  return levels;
}
/// Calls f(levels) for an executor with its own memory, whose compiled kernels take borders in
/// double, and integers only if doubles hold them.
template <class Levels, class F>
auto with_compiled_levels(Levels const& levels, F const& f) {
#if !defined(__CUDACC__)
  if constexpr (requires { requires std::is_integral_v<typename Levels::value_type>; }) {
    std::vector<double> const rounded(levels.begin(), levels.end());
    for (std::size_t b = 0; b < levels.size(); ++b)
      if (compared(rounded[b], levels[b]) != 0)
        fail(
            "histogram: level %zu of %zu is not representable as a double; on a GPU, such levels "
            "need a file that nvcc compiles",
            b, levels.size());
    return f(rounded);
  } else {
    return f(levels);
  }
#else
  return f(levels);
#endif
}
template <class E, class T, class Bins>
auto finder_for(Bins const& given, std::size_t bins, std::size_t n, histogram_options const& o) {
  auto const levels = checked_levels(given, bins);
  return bin_finder<E, T, std::remove_const_t<decltype(levels)>>(levels, n, o);
}

template <class E>
constexpr bool runs_on_processor() {
  static_assert(!has_own_memory<E>,
                "upsweep: histograms run on the executors of the CPU and on upsweep::gpu");
  return !has_own_memory<E>;
}

/// Whether n integers in memory are all among 0, 1, ... size - 1.
template <class E, class T>
bool are_below(E const& on, T const* first, std::size_t n, std::size_t size) {
  std::span const x(first, n);
  if constexpr (std::is_signed_v<T>)
    if (n > 0 && upsweep::reduce(on, x, min{}) < 0) return false;
  return n == 0 || static_cast<std::size_t>(upsweep::reduce(on, x, max{})) < size;
}

/// The position of the first integer that is none of them; n if there is none.
template <class It>
std::size_t first_outside(It const& first, std::size_t n, std::size_t size) {
  std::size_t i = 0;
  // A negative number converts to a larger one than any size.
  while (i < n && static_cast<std::size_t>(element_at(first, i)) < size) ++i;
  return i;
}

template <class Bins>
concept bins_of_numbers = std::is_same_v<Bins, even> || elements<Bins>;
/// What braces are, such as {0, 10, 30}.
using bins_in_braces = std::vector<double>;

inline void expect_bins(std::size_t bins) {
  expects(bins > 0, "histogram: there are no bins; give an output with one element for each bin");
  expects(bins < std::size_t{1} << 31, "histogram: at most 2147483647 bins are supported");
}

}  // namespace upsweep::detail

namespace upsweep {

/// Stores in counts[b] the number of elements of `x` in bin b: border b <= x < border b + 1. `bins`
/// is `even{low, high}`, or a range of borders in ascending order, one more than `counts` has
/// elements. Elements are compared with the borders exactly, so rounding cannot move an element to
/// another bin. Returns the numbers of elements below and above the bins and of NaN.
///
/// Throws precondition_error for borders that do not ascend, for sizes that do not match, and for
/// counts that do not fit the integers of `counts`. On a GPU, `bins` is in host memory; see also
/// upsweep::gpu::count_to.
template <elements X, executor E = detail::default_executor_t<X>, detail::output_like Counts,
          detail::bins_of_numbers Bins = detail::bins_in_braces>
outside_counts histogram(E const& on, X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  detail::expect_kept<Counts>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  if constexpr (lies_in_bins<T>() && stores_counts<Counts>()) {
    float_environment const ieee;
    std::size_t const n = std::ranges::size(x), size = std::ranges::size(counts);
    expect_bins(size);
    if constexpr (has_histogram<E, first_of_t<X>, decltype(output_iterator(counts)),
                                decltype(checked_levels(bins, size)), histogram_options>) {
      return with_compiled_levels(checked_levels(bins, size), [&](auto const& levels) {
        return on.histogram(first_of(x), n, output_iterator(counts), size, levels, o);
      });
    } else if constexpr (runs_on_processor<E>()) {
      return count_in_bins(on, x, n, finder_for<E, T>(bins, size, n, o), counts);
    }
  }
  return {};
}
template <elements X, detail::output_like Counts,
          detail::bins_of_numbers Bins = detail::bins_in_braces>
outside_counts histogram(X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  detail::expect_kept<Counts>();
  return upsweep::histogram(detail::default_executor_t<X>{}, x, counts, bins, o);
}

/// Stores in results[b] the reduction by `op` (default: the sum) of the `weights` whose element of
/// `x` is in bin b. The weights are in input order, and the bits are those of reduce. An empty bin
/// gets the identity of `op`; on a GPU it stores nothing if `op` has none. `bins`, result and
/// errors are those of histogram. Memory: a table of the bins on each thread; if `op` is not exact,
/// also n weights and n indices.
template <elements X, executor E = detail::default_executor_t<X>, elements Weights,
          detail::output_like Results, detail::bins_of_numbers Bins = detail::bins_in_braces,
          class Op = plus>
outside_counts weighted_histogram(E const& on, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins, Op const& op,
                                  histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  if constexpr (lies_in_bins<T>() && scan_fits<Weights, Results, as_is, Op>()) {
    using sink = decltype(sink_of<false>(results, std::size_t{}, op));
    using levels = decltype(checked_levels(bins, std::size_t{}));
    float_environment const ieee;
    std::size_t const n = std::ranges::size(x), size = std::ranges::size(results);
    if (n != std::ranges::size(weights))
      fail_inputs("weighted_histogram", n, std::ranges::size(weights));
    expect_bins(size);
    if constexpr (has_weighted_histogram<E, first_of_t<X>, first_of_t<Weights>, sink, levels, Op,
                                         histogram_options>) {
      return with_compiled_levels(checked_levels(bins, size), [&](auto const& borders) {
        return on.weighted_histogram(first_of(x), first_of(weights), n,
                                     sink_of<false>(results, size, op), size, borders, op, o);
      });
    } else if constexpr (runs_on_processor<E>()) {
      auto const finder = finder_for<E, T>(bins, size, n, o);
      auto const find = [&](std::size_t i, std::size_t count, std::uint32_t* to) {
        find_block(first_of(x), i, count, finder, to);
      };
      return reduce_weights(on, n, find, weights, results, op);
    }
  }
  return {};
}
template <elements X, executor E = detail::default_executor_t<X>, elements Weights,
          detail::output_like Results, detail::bins_of_numbers Bins = detail::bins_in_braces>
outside_counts weighted_histogram(E const& on, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins,
                                  histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  return upsweep::weighted_histogram(on, x, weights, results, bins, plus{}, o);
}
template <elements X, elements Weights, detail::output_like Results,
          detail::bins_of_numbers Bins = detail::bins_in_braces, class Op = plus>
outside_counts weighted_histogram(X const& x, Weights const& weights, Results&& results,
                                  Bins const& bins, Op const& op, histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  return upsweep::weighted_histogram(detail::default_executor_t<X>{}, x, weights, results, bins, op,
                                     o);
}
template <elements X, elements Weights, detail::output_like Results,
          detail::bins_of_numbers Bins = detail::bins_in_braces>
outside_counts weighted_histogram(X const& x, Weights const& weights, Results&& results,
                                  Bins const& bins, histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  return upsweep::weighted_histogram(detail::default_executor_t<X>{}, x, weights, results, bins,
                                     plus{}, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <elements X, executor E = detail::default_executor_t<X>, elements Weights,
          detail::output_like Results, detail::bins_of_numbers Bins = detail::bins_in_braces>
outside_counts weighted_histogram(E const& on, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins,
                                  detail::function_over<Weights>& op,
                                  histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  return upsweep::weighted_histogram(on, x, weights, results, bins, &op, o);
}
template <elements X, elements Weights, detail::output_like Results,
          detail::bins_of_numbers Bins = detail::bins_in_braces>
outside_counts weighted_histogram(X const& x, Weights const& weights, Results&& results,
                                  Bins const& bins, detail::function_over<Weights>& op,
                                  histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  return upsweep::weighted_histogram(detail::default_executor_t<X>{}, x, weights, results, bins,
                                     &op, o);
}

/// Stores in counts[k] the number of elements of `x` that equal k. Throws precondition_error for an
/// integer that is negative or not below the size of `counts`, with the position of the first one,
/// and for counts that do not fit the integers of `counts`; `counts` is then unchanged. For a GPU
/// see upsweep::gpu::count_to.
template <elements X, executor E = detail::default_executor_t<X>, detail::output_like Counts>
void count_indices(E const& on, X const& x, Counts&& counts) {
  detail::expect_kept<Counts>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  constexpr bool are_indices = std::is_integral_v<T> && sizeof(T) <= 8;
  static_assert(are_indices, "upsweep: count_indices counts integers of at most 8 bytes");
  if constexpr (are_indices && stores_counts<Counts>()) {
    std::size_t const n = std::ranges::size(x), size = std::ranges::size(counts);
    expects(size < std::size_t{1} << 31, "count_indices: at most 2147483647 counts are supported");
    auto const first = first_of(x);
    if constexpr (has_count_indices<E, decltype(first), decltype(output_iterator(counts))>) {
      on.count_indices(first, n, output_iterator(counts), size);
    } else if constexpr (runs_on_processor<E>()) {
      if constexpr (std::contiguous_iterator<first_of_t<X>> && sizeof(T) > 1) {
        if (!are_below(on, first, n, size)) fail_index(first_outside(first, n, size), size);
        if constexpr (may_count_in_place<X, Counts>)
          if (auto* const to = output_iterator(counts); counts_in_place(on, first, n, to, size)) {
            std::fill_n(to, size, std::ranges::range_value_t<Counts>{});
            for (std::size_t i = 0; i < n; ++i) ++to[first[i]];
            return;
          }
        auto const count = [first](count_table& table, std::size_t i, std::size_t block) {
          table.add(first + i, block);
        };
        return store_counts("count_indices", counts_of(on, n, size, count).data(), counts);
      }
      // A negative number converts to a larger one than any size.
      auto const index = [size](T const* values, std::size_t count, std::uint32_t* to) {
        for (std::size_t j = 0; j < count; ++j)
          to[j] = static_cast<std::uint32_t>(at_most(static_cast<std::size_t>(values[j]), size));
      };
      auto const found = counts_of_elements(on, first, n, size + 1, index);
      if (found[size] > 0) {
        fail_index(first_outside(first, n, size), size);
      }
      store_counts("count_indices", found.data(), counts);
    }
  }
}
template <elements X, detail::output_like Counts>
void count_indices(X const& x, Counts&& counts) {
  detail::expect_kept<Counts>();
  upsweep::count_indices(detail::default_executor_t<X>{}, x, counts);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> histogram(Args const&...) = delete;
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> weighted_histogram(Args const&...) = delete;
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> count_indices(Args const&...) = delete;

/// Histogram over chunks: the counts of `histogram` on all chunks so far.
template <class T, detail::bins_of_numbers Bins, executor E = detail::default_executor_t<T>>
class histogram_stream {
 public:
  /// `size` bins: `even{low, high}`, or a range of size + 1 borders. Throws as histogram does.
  histogram_stream(std::size_t size, Bins bins, histogram_options o = {})
      : histogram_stream(E{}, size, std::move(bins), o) {}
  histogram_stream(E on, std::size_t size, Bins bins, histogram_options o = {})
      : bins_(std::move(bins)), options_(o), on_(std::move(on)), counts_(size), chunk_(size) {
    push({});
  }
  /// Counts a chunk of any length. If it throws, no element of the chunk is counted.
  void push(std::span<T const> chunk) {
    auto const out = upsweep::histogram(on_, chunk, chunk_, bins_, options_);
    for (std::size_t b = 0; b < counts_.size(); ++b) counts_[b] += chunk_[b];
    outside_.below += out.below;
    outside_.above += out.above;
    outside_.nan += out.nan;
  }
  /// Numbers of elements in each bin.
  [[nodiscard]] std::span<std::uint64_t const> counts() const { return counts_; }
  /// Numbers of elements in no bin.
  [[nodiscard]] outside_counts outside() const { return outside_; }

 private:
  Bins bins_;
  histogram_options options_;
  E on_;
  std::vector<std::uint64_t> counts_, chunk_;
  outside_counts outside_;
};

}  // namespace upsweep
UPSWEEP_IEEE_END
