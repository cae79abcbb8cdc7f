/// histogram, weighted_histogram and count_indices: how many elements lie in each bin.
#pragma once

#include <upsweep/bin_search.hpp>
#include <upsweep/bin_weights.hpp>
#include <upsweep/bins.hpp>
#include <upsweep/heavy_verbs.hpp>
#include <upsweep/index_counts.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/sorting.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace upsweep {

namespace detail {

/// How often each of the indices 0, 1, ... bins - 1 occurs among those that index_of(values, n,
/// indices) stores for the elements at `first`. Bytes are counted by their value first.
template <class E, class It, class Index>
std::vector<std::size_t> counts_of_elements(E const& on, It const& first, std::size_t n,
                                            std::size_t bins, Index const& index_of) {
  using T = std::iter_value_t<It>;
  if constexpr (sizeof(T) == 1 && std::contiguous_iterator<It>) {
    auto const of_values =
        counts_of(on, n, 256, [&](count_table& counts, std::size_t i, std::size_t size) {
          counts.add(reinterpret_cast<unsigned char const*>(std::to_address(first)) + i, size);
        });
    std::vector<std::size_t> counts(bins);
    for (std::size_t v = 0; v < 256; ++v) {
      T const value = std::bit_cast<T>(static_cast<std::uint8_t>(v));
      std::uint32_t index = 0;
      if (of_values[v] > 0) index_of(&value, 1, &index);
      counts[index] += of_values[v];
    }
    return counts;
  } else {
    return counts_of(on, n, bins, [&](count_table& counts, std::size_t i, std::size_t size) {
      std::uint32_t indices[count_block];
      if constexpr (std::contiguous_iterator<It>) {
        auto const* const x = std::to_address(first) + i;
        if (size == count_block && are_equal(x)) {
          std::uint32_t index = 0;
          index_of(x, 1, &index);
          return counts.add_equal(index, size);
        }
      }
      find_block(first, i, size, index_of, indices);
      counts.add(indices, size);
    });
  }
}

/// Whether elements of `X` may be counted straight in `Counts`: reading one changes nothing.
template <class X, class Counts>
inline constexpr bool may_count_in_place =
    std::contiguous_iterator<first_of_t<X>> && std::ranges::contiguous_range<Counts> &&
    sizeof(std::ranges::range_value_t<X>) > 1;

/// Whether they are, by one thread, which saves a table and its sums: where there are many bins and
/// all counts fit.
template <class E, class T, class Count>
bool counts_in_place(E const& on, T const* x, std::size_t n, Count const* counts,
                     std::size_t bins) {
  auto const from = reinterpret_cast<std::uintptr_t>(x),
             to = reinterpret_cast<std::uintptr_t>(counts);
  bool const is_apart = from + n * sizeof(T) <= to || to + bins * sizeof(Count) <= from;
  return is_apart && bins > count_table::few_places && counting_threads(on, n, bins) == 1 &&
         n <= static_cast<std::uintmax_t>(std::numeric_limits<Count>::max());
}

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

/// Stores counts[0 .. size) in `out`, if all of them fit its integers.
template <class Out>
void store_counts(char const* verb, std::size_t const* counts, Out& out) {
  using T = std::ranges::range_value_t<Out>;
  std::size_t const size = std::ranges::size(out);
  for (std::size_t b = 0; b < size; ++b)
    if (counts[b] > static_cast<std::uintmax_t>(std::numeric_limits<T>::max()))
      fail_count(verb, counts[b], b, 8 * sizeof(T));
  auto to = std::ranges::begin(out);
  for (std::size_t b = 0; b < size; ++b, ++to) *to = static_cast<T>(counts[b]);
}

/// The borders of `bins` even bins, or those of a range.
inline even_levels levels_of(even const& e, std::size_t bins) {
  double const width = e.high - e.low;
  expects(e.low < e.high && std::isfinite(width),
          "histogram: the upper end of the bins must be above the lower, and both finite");
  return {e.low, width / static_cast<double>(bins), e.high, bins};
}
template <elements Levels>
std::vector<double> levels_of(Levels const& given, std::size_t bins) {
  if (std::ranges::size(given) != bins + 1)
    fail("histogram: there are %zu levels, but %zu bins have one more level than bins",
         std::ranges::size(given), bins);
  std::vector<double> levels;
  for (std::size_t b = 0; b <= bins; ++b)
    levels.push_back(static_cast<double>(element_at(first_of(given), b)));
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
      fail("histogram: level %zu of %zu is not above the one in front of it", b + 1, bins + 1);
  return levels;
}
template <class E, class T, class Bins>
auto finder_for(Bins const& given, std::size_t bins, std::size_t n, histogram_options const& o) {
  auto const levels = checked_levels(given, bins);
  return bin_finder<E, T, std::remove_const_t<decltype(levels)>>(levels, n, o);
}

/// Optional member of an executor: on.histogram(first, n, counts, size, levels, o) is the histogram
/// of the n elements from `first` on, whose `size` counts are stored at `counts`.
template <class E, class It, class Out, class Levels>
concept counts_in_bins = requires(E const& on, It const& first, Out const& out,
                                  Levels const& levels, histogram_options const& o) {
  on.histogram(first, std::size_t{}, out, std::size_t{}, levels, o);
};
/// on.count_indices(first, n, counts, size) likewise.
template <class E, class It, class Out>
concept counts_at_indices = requires(E const& on, It const& first, Out const& out) {
  on.count_indices(first, std::size_t{}, out, std::size_t{});
};
/// on.weighted_histogram(first, weights, n, results, size, levels, op, o) likewise; `results` is a
/// sink.
template <class E, class It, class Weights, class Sink, class Levels, class Op>
concept adds_in_bins =
    requires(E const& on, It const& first, Weights const& weights, Sink const& results,
             Levels const& levels, Op const& op, histogram_options const& o) {
      on.weighted_histogram(first, weights, std::size_t{}, results, std::size_t{}, levels, op, o);
    };
template <class E>
constexpr bool runs_on_processor() {
  static_assert(!has_own_memory<E>,
                "upsweep: histograms run on the executors of the processor and on upsweep::gpu");
  return !has_own_memory<E>;
}

/// Counts the elements' bins in counts[0 .. bins), of which no element is one, and those outside.
template <class T, class Finder, class Count>
outside_counts count_in_place(T const* x, std::size_t n, Finder const& finder, Count* counts,
                              std::size_t bins) {
  std::size_t outside[3] = {};  // below, above, NaN
  std::uint32_t found[count_block];
  std::fill_n(counts, bins, Count{});
  for (std::size_t i = 0; i < n; i += count_block) {
    std::size_t const size = at_most(count_block, n - i);
    finder(x + i, size, found);
    for (std::size_t j = 0; j < size; ++j) {
      std::size_t const bin = std::size_t{found[j]} - 1;
      if (bin < bins)
        ++counts[bin];
      else
        ++outside[found[j] == 0 ? 0 : bin - bins + 1];
    }
  }
  return {.below = outside[0], .above = outside[1], .nan = outside[2]};
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

inline void expect_bins(std::size_t bins) {
  expects(bins > 0, "histogram: there are no bins; the output has one element for each");
  expects(bins < std::size_t{1} << 31, "histogram: at most 2147483647 bins are supported");
}

}  // namespace detail

/// Stores in counts[b] how many of the n >= 0 numbers of `x` lie in bin b: border b <= x < border
/// b + 1. `bins` is `even{low, high}`, or a range of borders in ascending order, one more than
/// `counts` has elements; a comparison with the borders decides, whatever rounding does. Returns
/// how many numbers lie below and above the bins, and how many are NaN. Throws precondition_error
/// for borders that do not ascend, for sizes that do not fit, and for counts that do not fit the
/// integers of `counts`. On a GPU, `bins` is in the memory of the host, and see
/// upsweep::gpu::count_to.
template <elements X, executor E = detail::default_executor_t<X>, detail::output_like Counts,
          detail::bins_of_numbers Bins>
outside_counts histogram(E const& on, X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  if constexpr (lies_in_bins<T>() && stores_counts<Counts>()) {
    float_environment const ieee;
    std::size_t const n = std::ranges::size(x), size = std::ranges::size(counts);
    expect_bins(size);
    if constexpr (counts_in_bins<E, first_of_t<X>, decltype(output_iterator(counts)),
                                 decltype(checked_levels(bins, size))>) {
      return on.histogram(first_of(x), n, output_iterator(counts), size, checked_levels(bins, size),
                          o);
    } else if constexpr (runs_on_processor<E>()) {
      auto const finder = finder_for<E, T>(bins, size, n, o);
      if constexpr (may_count_in_place<X, Counts>) {
        auto const* const numbers = std::to_address(first_of(x));
        auto* const to = output_iterator(counts);
        if (counts_in_place(on, numbers, n, to, size))
          return count_in_place(numbers, n, finder, to, size);
      }
      auto const found = counts_of_elements(on, first_of(x), n, size + 3, finder);
      store_counts("histogram", found.data() + 1, counts);
      return {.below = found[0], .above = found[size + 1], .nan = found[size + 2]};
    }
  }
  return {};
}
template <elements X, detail::output_like Counts, detail::bins_of_numbers Bins>
outside_counts histogram(X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  return upsweep::histogram(detail::default_executor_t<X>{}, x, counts, bins, o);
}

/// Stores in results[b] the reduction by `op` (by default the sum) of those `weights` whose element
/// of `x` lies in bin b, with the bits of reduce over these weights in input order. `bins`, the
/// result and errors as for histogram; an empty bin has the identity of `op`. Takes memory for a
/// table of the bins on each thread, and for n weights and n indices if `op` is not exact. On a GPU
/// an empty bin stores nothing if `op` has no identity.
template <elements X, executor E = detail::default_executor_t<X>, elements Weights,
          detail::output_like Results, detail::bins_of_numbers Bins, class Op = plus>
outside_counts weighted_histogram(E const& on, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins, Op const& op,
                                  histogram_options const& o = {}) {
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
    if constexpr (adds_in_bins<E, first_of_t<X>, first_of_t<Weights>, sink, levels, Op>) {
      return on.weighted_histogram(first_of(x), first_of(weights), n,
                                   sink_of<false>(results, size, op), size,
                                   checked_levels(bins, size), op, o);
    } else if constexpr (runs_on_processor<E>()) {
      auto const finder = finder_for<E, T>(bins, size, n, o);
      return reduce_weights(on, first_of(x), n, finder, weights, results, op);
    }
  }
  return {};
}
template <elements X, executor E = detail::default_executor_t<X>, elements Weights,
          detail::output_like Results, detail::bins_of_numbers Bins>
outside_counts weighted_histogram(E const& on, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins,
                                  histogram_options const& o = {}) {
  return upsweep::weighted_histogram(on, x, weights, results, bins, plus{}, o);
}
template <elements X, elements Weights, detail::output_like Results, detail::bins_of_numbers Bins,
          class Op = plus>
outside_counts weighted_histogram(X const& x, Weights const& weights, Results&& results,
                                  Bins const& bins, Op const& op, histogram_options const& o = {}) {
  return upsweep::weighted_histogram(detail::default_executor_t<X>{}, x, weights, results, bins, op,
                                     o);
}
template <elements X, elements Weights, detail::output_like Results, detail::bins_of_numbers Bins>
outside_counts weighted_histogram(X const& x, Weights const& weights, Results&& results,
                                  Bins const& bins, histogram_options const& o = {}) {
  return upsweep::weighted_histogram(detail::default_executor_t<X>{}, x, weights, results, bins,
                                     plus{}, o);
}

/// Stores in counts[k] how many of the integers of `x` are k. Throws precondition_error for an
/// integer that is negative or not below the size of `counts`, with the position of the first, and
/// for counts that do not fit the integers of `counts`; then `counts` is as it was. For a GPU see
/// upsweep::gpu::count_to.
template <elements X, executor E = detail::default_executor_t<X>, detail::output_like Counts>
void count_indices(E const& on, X const& x, Counts&& counts) {
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  constexpr bool are_indices = std::is_integral_v<T>;
  static_assert(are_indices, "upsweep: count_indices counts integers");
  if constexpr (are_indices && stores_counts<Counts>()) {
    std::size_t const n = std::ranges::size(x), size = std::ranges::size(counts);
    expects(size < std::size_t{1} << 31, "count_indices: at most 2147483647 counts are supported");
    auto const first = first_of(x);
    if constexpr (counts_at_indices<E, decltype(first), decltype(output_iterator(counts))>) {
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

}  // namespace upsweep
