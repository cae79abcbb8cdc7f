/// Histograms on an executor without kernels of its own for them: tables of counts of its threads,
/// or one thread that counts in the output.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/counts.hpp>
#include <upsweep/generic/histogram/search.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <span>  // brings the iterator and range concepts
#include <vector>

namespace upsweep::detail {

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
        if (size == count_block && are_equal(x))
          return counts.add_equal_to(*x, size, [&] {
            std::uint32_t index = 0;
            index_of(x, 1, &index);
            return std::size_t{index};
          });
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

/// Whether they are, by one thread, which saves a table and its sums: where there are many bins, or
/// few elements for each of them, and all counts fit.
template <class E, class T, class Count>
bool counts_in_place(E const& on, T const* x, std::size_t n, Count const* counts,
                     std::size_t bins) {
  auto const from = reinterpret_cast<std::uintptr_t>(x),
             to = reinterpret_cast<std::uintptr_t>(counts);
  bool const is_apart = from + n * sizeof(T) <= to || to + bins * sizeof(Count) <= from;
  bool const is_worth_it = bins > count_table::few_places || n < 4 * bins;
  return is_apart && is_worth_it && counting_threads(on, n, bins) == 1 &&
         n <= static_cast<std::uintmax_t>(std::numeric_limits<Count>::max());
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

/// Stores the number of elements in each bin in counts[0 .. bins), which must not overlap the
/// elements, and returns the numbers of elements outside of the bins.
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

/// Counts in counts[b] the n elements of `x` that lie in bin b, and those outside.
template <class E, class X, class Finder, class Counts>
outside_counts count_in_bins(E const& on, X const& x, std::size_t n, Finder const& finder,
                             Counts& counts) {
  std::size_t const size = std::ranges::size(counts);
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

}  // namespace upsweep::detail
