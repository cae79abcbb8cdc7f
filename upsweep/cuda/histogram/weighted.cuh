/// Weighted histograms: the weights are sorted by their bins, each of which then is a segment. So a
/// result has the bits of the combine tree over its weights in their order.
#pragma once

#include <upsweep/cuda/histogram/launch.cuh>
#include <upsweep/cuda/histogram/weighted.hpp>
#include <upsweep/cuda/segments/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>
#include <upsweep/cuda/sort/launch.cuh>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// Enqueues the search for the keys of n elements. `counted` is null unless keys are mixed.
template <class It, class Levels, class Key>
void enqueue_keys(gpu const& on, It const& first, std::size_t n, bin_keys const& of,
                  Levels const& levels, histogram_options const& o, Key* keys, word* counted) {
  using T = typename element_input<It>::element;
  with_search<T>(of.bins, levels, o, [&](auto search, std::vector<unsigned> const& table) {
    stream_memory words;
    if constexpr (search.has_table) {
      words = take_memory(on, table.size() * sizeof(unsigned));
      search.table = static_cast<unsigned*>(words.data());
      enqueue_table(on, device_of(on), table, 1, static_cast<unsigned*>(words.data()));
    }
    launch_for_each(
        on, {n, nullptr}, false,
        find_key<It, decltype(search), Key>{first, search, of, size_of_call(on, n), keys, counted});
  });
}

/// Weights in the order of their keys.
template <class Key, class W>
struct keyed_weights {
  Key const* keys;
  W* weights;
};

/// Whether weights are sorted in place, by their positions.
template <class W>
inline constexpr bool are_sorted_by_position = sizeof(W) > 16;
/// Whether one block sorts n weights of type W.
template <class W>
[[nodiscard]] bool are_weights_of_one_block(std::size_t n) {
  return n <= most_in_block<std::uint32_t, compiled_value<W>>;
}

/// Calls use(Key) with the type of the keys of n weights. Those of 16 bits are less to move, where
/// more than one block sorts them.
template <class W, class Use>
void with_key_type(bin_keys const& of, std::size_t n, Use const& use) {
  if constexpr (!are_sorted_by_position<W>)
    if (of.are_short() && !are_weights_of_one_block<W>(n)) return use(std::uint16_t{});
  use(std::uint32_t{});
}

/// Enqueues the sort of n weights, to `sorted`, by their keys. `keys` has room for n more.
template <class Key, class W>
[[nodiscard]] keyed_weights<Key, W> enqueue_sort_by_keys(gpu const& on, Key* keys, W const* weights,
                                                         W* sorted, std::size_t n, unsigned bits) {
  using value = compiled_value<W>;
  auto const* const from = reinterpret_cast<value const*>(weights);
  auto* const to = reinterpret_cast<value*>(sorted);
  if constexpr (sizeof(Key) == 4)
    if (are_weights_of_one_block<W>(n)) {
      launch_sort_block<false>(on, block_sort_call<Key, value>{{n, nullptr}, keys, keys, from, to});
      return {keys, sorted};
    }
  radix_sort_pairs_to(on, static_cast<Key const*>(keys), keys + n, from, to, n, bits);
  return {keys + n, sorted};
}

/// Enqueues that weights of other keys are taken out of those of bin 0, unless there are none, and
/// that borders[1] is how many stay.
template <class Key, class W>
void enqueue_taking_out(gpu const& on, keyed_weights<Key, W> const& sorted, std::size_t n,
                        bin_keys const& of, word* borders) {
  using value = compiled_value<W>;
  using shape = select_tiles_shape<value>;
  using marks = marks_of_flags<keys_of_bins<Key>>;
  using output = selection_output<taken::values, 0, value*, value>;
  using input = element_input<value const*>;
  cuda_device const device = device_of(on);
  std::size_t const tiles = divide_up(n, shape::size);
  auto const memory = take_workspace(
      on,
      workspace_words::needed<typename select_traits<marks, output>::counts>(tiles) * sizeof(word));
  cuda_plan const plan{.algorithm = cuda_algorithm::select_tiles,
                       .tile = shape::size,
                       .blocks = detail::at_most(
                           tiles, static_cast<std::size_t>(device.multiprocessors) * shape::blocks),
                       .threads = shape::threads,
                       .launches = 1};
  auto* const weights = reinterpret_cast<value*>(sorted.weights);
  launch<select_tiles<shape, input, marks, output>>(
      plan, on, device, selection_call{{n, borders + of.bins + 2}, borders + 1, true},
      marks{{sorted.keys, of.bits}, false}, input{weights, true}, words_of_lease(memory),
      output{weights, n});
}

/// Enqueues the call, by keys of type Key.
template <class Key, class It, class Weights, class Sink, class Op, class Levels>
void enqueue_weighted(gpu const& on, It const& first, Weights const& given, std::size_t n,
                      Sink const& out, bin_keys const& of, Levels const& levels, Op const& op,
                      histogram_options const& o, word* outside) {
  using W = std::iter_value_t<Weights>;
  using A = accumulator_t<Op, W>;
  constexpr bool is_large = are_sorted_by_position<W>,
                 is_copied = is_large || !std::is_pointer_v<Weights>;
  std::size_t const segments = of.bins + (of.are_mixed ? 1 : 0);
  scratch_parts parts;
  auto const key_part = parts.add<Key>(2 * n), copied_part = parts.add<W>(is_copied ? n : 0),
             sorted_part = parts.add<W>(is_large ? 0 : n),
             border_part = parts.add<word>(of.bins + 3),
             counted_part = parts.add<word>(of.are_mixed ? 4 : 0);
  scratch_memory const memory(on, parts);
  auto* const keys = memory.at<Key>(key_part);
  W* const copied = memory.at<W>(copied_part);
  auto* const borders = memory.at<word>(border_part);
  word* const counted = of.are_mixed ? memory.at<word>(counted_part) : nullptr;
  if (of.are_mixed) clear_elements(on, counted, 4);
  enqueue_keys(on, device_iterator(first), n, of, levels, o, keys, counted);
  if constexpr (is_copied)
    launch_for_each(on, {n, nullptr}, false, copy_element<Weights, W*>{given, copied});
  gpu whole = on;
  whole.length_from = nullptr;
  keyed_weights<Key, W> sorted{keys, copied};
  if constexpr (is_large)
    sort_by_key_on(whole, keys, copied, n, ascending{});
  else if constexpr (is_copied)
    sorted =
        enqueue_sort_by_keys<Key, W>(whole, keys, copied, memory.at<W>(sorted_part), n, of.bits);
  else
    sorted =
        enqueue_sort_by_keys<Key, W>(whole, keys, given, memory.at<W>(sorted_part), n, of.bits);
  find_bin_borders<Key> const find{sorted.keys, n, of, borders, outside, counted};
  launch_for_each(on, {find.size(), nullptr}, false, find, each_waits);
  if constexpr (!is_large)
    if (of.are_mixed) enqueue_taking_out(on, sorted, n, of, borders);
  auto const all = results_of_segments(out, of.bins, op, static_cast<A const*>(nullptr));
  using sink = bin_sink<std::remove_const_t<decltype(all.out)>>;
  segment_results<A, std::remove_const_t<decltype(all.op)>, sink> const results{
      all.op, {all.out, of.are_mixed}, all.initial, all.empty, all.has_initial, all.has_empty};
  enqueue_reductions<A>(on, static_cast<W const*>(sorted.weights),
                        segment_call{{n, borders + segments}, {segments, nullptr}},
                        bin_borders{borders, of.bins, of.are_mixed}, results);
}

template <class It, class Weights, class Sink, class Op, class Levels>
outside_counts weighted_histogram_on(gpu const& on, It const& first, Weights const& weights,
                                     std::size_t n, Sink const& out, std::size_t size,
                                     Levels const& levels, Op const& op,
                                     histogram_options const& o) {
  using W = std::iter_value_t<Weights>;
  check_sorted<W>();
  bin_keys of = bin_keys::of(size);
  if (are_sorted_by_position<W> || are_weights_of_one_block<W>(n))
    of.are_mixed = false;  // sorted by all bits
  word* const outside = returned_counts(on);
  with_key_type<W>(of, n, [&]<class Key>(Key) {
    enqueue_weighted<Key>(on, first, device_iterator(weights), n, out, of, levels, op, o, outside);
  });
  if (on.count_to != nullptr || on.plans_to != nullptr) return {};
  wait_for(on, "finish the weighted histogram");
  return {.below = outside[0], .above = outside[1], .nan = outside[2]};
}

}  // namespace upsweep::device
