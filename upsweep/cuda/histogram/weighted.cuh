/// Weighted histograms: the weights are sorted by their bins, each of which then is a segment. So a
/// result has the bits of the combine tree over its weights in their order.
#pragma once

#include <upsweep/cuda/histogram/launch.cuh>
#include <upsweep/cuda/histogram/weighted.hpp>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/sort/launch.cuh>

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// Enqueues the search for the keys of n elements.
template <class It, class Levels>
void enqueue_keys(gpu const& on, It const& first, std::size_t n, std::size_t size,
                  Levels const& levels, histogram_options const& o, std::uint32_t* keys) {
  using T = typename element_input<It>::element;
  with_search<T>(size, levels, o, [&](auto search, std::vector<unsigned> const& table) {
    stream_memory words;
    if constexpr (search.has_table) {
      words = take_memory(on, table.size() * sizeof(unsigned), true);
      search.table = static_cast<unsigned*>(words.data());
      enqueue_table(on, device_of(on), table, 1, static_cast<unsigned*>(words.data()));
    }
    launch_for_each(on, {n, nullptr}, false,
                    find_key<It, decltype(search)>{first, search, static_cast<unsigned>(size),
                                                   size_of_call(on, n), keys});
  });
}

/// Weights in the order of their keys.
template <class W>
struct keyed_weights {
  std::uint32_t const* keys;
  W const* weights;
};

/// Enqueues the sort of n weights, to `sorted`, by their keys, which are below `end`. `keys` has
/// room for n more.
template <class W>
[[nodiscard]] keyed_weights<W> enqueue_sort_by_keys(gpu const& on, std::uint32_t* keys,
                                                    W const* weights, W* sorted, std::size_t n,
                                                    std::size_t end) {
  using value = compiled_value<W>;
  auto const* const from = reinterpret_cast<value const*>(weights);
  auto* const to = reinterpret_cast<value*>(sorted);
  if (n <= most_in_block<std::uint32_t, value>) {
    launch_sort_block<false>(
        on, block_sort_call<std::uint32_t, value>{{n, nullptr}, keys, keys, from, to});
    return {keys, sorted};
  }
  radix_sort_pairs_to(on, static_cast<std::uint32_t const*>(keys), keys + n, from, to, n,
                      static_cast<unsigned>(std::bit_width(end - 1)));
  return {keys + n, sorted};
}

template <class It, class Weights, class Sink, class Op, class Levels>
outside_counts weighted_histogram_on(gpu const& on, It const& first, Weights const& weights,
                                     std::size_t n, Sink const& out, std::size_t size,
                                     Levels const& levels, Op const& op,
                                     histogram_options const& o) {
  using W = std::iter_value_t<Weights>;
  using A = accumulator_t<Op, W>;
  check_sorted<W>();
  auto const given = device_iterator(weights);
  using given_weights = std::remove_const_t<decltype(given)>;
  constexpr bool is_large = sizeof(W) > 16,  // sorted in place, by their positions
      is_copied = is_large || !std::is_pointer_v<given_weights>;
  scratch_parts parts;
  auto const key_part = parts.add<std::uint32_t>(2 * n),
             copied_part = parts.add<W>(is_copied ? n : 0),
             sorted_part = parts.add<W>(is_large ? 0 : n), border_part = parts.add<word>(size + 1);
  scratch_memory const memory(on, parts);
  auto* const keys = memory.at<std::uint32_t>(key_part);
  W* const copied = memory.at<W>(copied_part);
  auto* const borders = memory.at<word>(border_part);
  enqueue_keys(on, device_iterator(first), n, size, levels, o, keys);
  if constexpr (is_copied)
    launch_for_each(on, {n, nullptr}, false, copy_element<given_weights, W*>{given, copied});
  gpu whole = on;
  whole.length_from = nullptr;
  keyed_weights<W> sorted{keys, copied};
  if constexpr (is_large)
    sort_by_key_on(whole, keys, copied, n, ascending{});
  else if constexpr (is_copied)
    sorted = enqueue_sort_by_keys<W>(whole, keys, copied, memory.at<W>(sorted_part), n, size + 4);
  else
    sorted = enqueue_sort_by_keys<W>(whole, keys, given, memory.at<W>(sorted_part), n, size + 4);
  word* const outside = returned_counts(on);
  launch_for_each(on, {size + 4, nullptr}, false,
                  find_bin_borders{sorted.keys, n, static_cast<unsigned>(size), borders, outside});
  enqueue_reductions<A>(on, sorted.weights, segment_call{{n, borders + size}, {size, nullptr}},
                        offset_borders<word const*>{borders},
                        results_of_segments(out, size, op, static_cast<A const*>(nullptr)));
  if (on.count_to != nullptr || on.plans_to != nullptr) return {};
  check_cuda(cudaStreamSynchronize(on.stream), "finish the weighted histogram");
  return {.below = outside[0], .above = outside[1], .nan = outside[2]};
}

}  // namespace upsweep::device
