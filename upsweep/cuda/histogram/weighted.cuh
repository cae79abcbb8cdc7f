/// Weighted histograms: the weights are sorted by their bins, each of which then is a segment. So a
/// result has the bits of the combine tree over its weights in their order.
#pragma once

#include <upsweep/cuda/histogram/launch.cuh>
#include <upsweep/cuda/histogram/weighted.hpp>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/sort/launch.cuh>

#include <bit>
#include <cstdint>
#include <vector>

namespace upsweep::device {

/// Enqueues the search for the bins of n elements.
template <class It, class Weights, class Levels, class W>
void enqueue_places(gpu const& on, It const& first, Weights const& weights, std::size_t n,
                    std::size_t size, Levels const& levels, histogram_options const& o,
                    std::uint32_t* keys, W* to) {
  using T = typename element_input<It>::element;
  with_search<T>(size, levels, o, [&](auto search, std::vector<unsigned> const& table) {
    stream_memory words;
    if constexpr (search.has_table) {
      words = take_memory(on, table.size() * sizeof(unsigned), true);
      search.table = static_cast<unsigned*>(words.data());
      enqueue_table(on, device_of(on), table, 1, static_cast<unsigned*>(words.data()));
    }
    launch_for_each(
        on, {n, nullptr}, false,
        place_weight<It, Weights, decltype(search), W>{
            first, weights, search, static_cast<unsigned>(size), size_of_call(on, n), keys, to});
  });
}

template <class It, class Weights, class Sink, class Op, class Levels>
outside_counts weighted_histogram_on(gpu const& on, It const& first, Weights const& weights,
                                     std::size_t n, Sink const& out, std::size_t size,
                                     Levels const& levels, Op const& op,
                                     histogram_options const& o) {
  using W = std::iter_value_t<Weights>;
  using A = accumulator_t<Op, W>;
  check_sorted<W>();
  scratch_parts parts;
  auto const key_part = parts.add<std::uint32_t>(n), weight_part = parts.add<W>(n),
             border_part = parts.add<word>(size + 1);
  scratch_memory const memory(on, parts);
  auto* const keys = memory.at<std::uint32_t>(key_part);
  auto* const sorted = memory.at<W>(weight_part);
  auto* const borders = memory.at<word>(border_part);
  enqueue_places(on, device_iterator(first), device_iterator(weights), n, size, levels, o, keys,
                 sorted);
  gpu whole = on;
  whole.length_from = nullptr;
  if constexpr (sizeof(W) <= 16)
    sort_numbers<ascending>(whole, keys, reinterpret_cast<compiled_value<W>*>(sorted), n,
                            static_cast<unsigned>(std::bit_width(size + 3)));
  else
    sort_by_key_on(whole, keys, sorted, n, ascending{});
  word* const outside = returned_counts(on);
  launch_for_each(on, {size + 4, nullptr}, false,
                  find_bin_borders{keys, n, static_cast<unsigned>(size), borders, outside});
  enqueue_reductions<A>(on, static_cast<W const*>(sorted),
                        segment_call{{n, borders + size}, {size, nullptr}},
                        offset_borders<word const*>{borders},
                        results_of_segments(out, size, op, static_cast<A const*>(nullptr)));
  if (on.count_to != nullptr || on.plans_to != nullptr) return {};
  check_cuda(cudaStreamSynchronize(on.stream), "finish the weighted histogram");
  return {.below = outside[0], .above = outside[1], .nan = outside[2]};
}

}  // namespace upsweep::device
