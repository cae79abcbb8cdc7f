/// Histograms: the search for the bins, where the blocks count, then the launch. The host waits for
/// the counts outside of the bins, unless they stay on the device.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/histogram/count.hpp>
#include <upsweep/cuda/histogram/search.hpp>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/generic/histogram/bins.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// The most slots of which one block stores the counts itself: a digit of 11 bits and what is
/// outside, as `top` counts.
inline constexpr std::size_t most_places_alone = (std::size_t{1} << 11) + 3;
/// The most slots whose counts blocks add to the results; for more, atomics would bind.
inline constexpr std::size_t most_places_added = (std::size_t{1} << 12) + 3;

/// The plan to count n elements of type T at `call.places` slots; `table` words are in the
/// search's table. Sets where the blocks count, and what they share.
template <class T, bool by_value>
[[nodiscard]] cuda_plan pick_count(std::size_t n, std::size_t table, count_call& call,
                                   cuda_device const& device) {
  std::size_t const room = (device.shared_bytes - sizeof(sums_memory) - 1024) / 4,
                    places = call.places, most_by_value = std::size_t{1} << 14;
  call.kind = places <= (by_value ? most_by_value : room) ? counter_kind::copies
              : !by_value && (places + 1) / 2 <= room     ? counter_kind::halves
                                                          : counter_kind::totals;
  call.copies = by_value || places <= 1024 ? 8 : 1;
  std::size_t const counters =
      by_value ? call.copies * 256 + call.words_left() : call.counter_words();
  call.table_at = static_cast<unsigned>((counters + 3) / 4 * 4);
  bool const table_fits = table <= std::size_t{1} << 14 && call.table_at + table <= room;
  call.shared_table = table_fits ? static_cast<unsigned>(table) : 0;
  // By vectors of 16 bytes few elements would be those of few multiprocessors.
  std::size_t const whole = std::size_t{count_threads} * items_of<T>;
  call.are_few = by_value && n < whole * static_cast<std::size_t>(device.multiprocessors);
  std::size_t const tile = call.are_few ? std::size_t{count_threads} * few_bytes : whole,
                    vectors = divide_up(n, tile);
  call.is_alone =
      n <= std::size_t{1} << 14 && places <= most_places_alone && call.kind == counter_kind::copies;
  call.adds = call.adds && !call.is_alone && call.kind == counter_kind::copies &&
              places <= most_places_added;
  // A block's counters have 32 bits.
  std::size_t const least = std::max(divide_up(n, std::size_t{1} << 31), std::size_t{1});
  std::size_t const blocks =
      call.is_alone
          ? 1
          : std::max(least, std::min(vectors, static_cast<std::size_t>(device.multiprocessors)));
  std::size_t const share = divide_up(n, blocks * tile) * tile;  // of a block, at most
  call.has_totals = call.kind == counter_kind::totals ||
                    (call.kind == counter_kind::halves && half_counters::hand_over(share));
  std::size_t const left = call.adds ? 0 : block_counts::words_needed(blocks, call.words_left());
  return {.algorithm = cuda_algorithm::count_places,
          .tile = tile,
          .blocks = blocks,
          .threads = count_threads,
          .shared_bytes = (call.table_at + call.shared_table) * 4,
          .launches = 1,
          .workspace_bytes = (call.words_before() + left + call.shared_table) * sizeof(word),
          .traffic_bytes = n * sizeof(T)};
}
/// The plan of the launch that sums what its blocks have left.
template <class U>
[[nodiscard]] cuda_plan pick_sums(cuda_plan plan, count_call const& call) {
  bool const may_fail = call.reports && call.most > std::size_t{std::numeric_limits<U>::max()};
  std::size_t const words =
      call.kind == counter_kind::totals ? call.places / 32 : call.words_left();
  plan.algorithm = cuda_algorithm::sum_counts;
  plan.blocks = may_fail ? 1 : divide_up(words, 32);
  plan.shared_bytes = plan.traffic_bytes = 0;
  return plan;
}

/// The plan of the launch that clears the results to which blocks add.
[[nodiscard]] inline cuda_plan pick_clear(count_call const& call) {
  return {.algorithm = cuda_algorithm::clear_counts,
          .blocks = divide_up(call.places, clear_threads),
          .threads = clear_threads,
          .launches = 1};
}

/// Enqueues the copies of a table to device memory, `size` words at a time.
template <unsigned size>
void enqueue_parts(gpu const& on, cuda_device const& device, std::vector<unsigned> const& words,
                   unsigned stride, unsigned* to) {
  cuda_plan const plan{
      .algorithm = cuda_algorithm::store, .blocks = 1, .threads = 256, .launches = 1};
  for (std::size_t i = 0; i < words.size(); i += size) {
    table_part<size> part;
    std::size_t const count = detail::at_most(words.size() - i, std::size_t{size});
    std::memcpy(part.words, words.data() + i, 4 * count);
    launch<store_table<size>>(plan, on, device, part, static_cast<unsigned>(count), stride,
                              to + i * stride);
  }
}

inline void enqueue_table(gpu const& on, cuda_device const& device,
                          std::vector<unsigned> const& words, unsigned stride, unsigned* to) {
  if (words.size() <= 2000)
    enqueue_parts<2000>(on, device, words, stride, to);
  else
    enqueue_parts<8000>(on, device, words, stride, to);
}

/// Enqueues the call.
template <class It, class Search, class Out>
void enqueue_count(gpu const& on, It const& first, count_call call, Search search, Out const& out,
                   std::vector<unsigned> const& table = {}) {
  using input = element_input<It>;
  using T = typename input::element;
  constexpr bool by_value = sizeof(T) == 1 && !Search::refuses;
  cuda_device const device = device_of(on);
  using U = std::remove_cvref_t<decltype(out[0])>;
  call.adds = can_add_counts<Search, Out> && !call.reports &&
              call.most <= std::size_t{std::numeric_limits<U>::max()};
  cuda_plan const plan = pick_count<T, by_value>(call.most, table.size(), call, device);
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  workspace_words const words = words_of_lease(scratch);
  stream_memory large;
  if constexpr (Search::has_table) {
    bool const is_shared = call.shared_table > 0;
    if (!is_shared) large = take_memory(on, table.size() * sizeof(unsigned));
    word* const shared_at = words.words + (plan.workspace_bytes / sizeof(word) - call.shared_table);
    auto* const to =
        static_cast<unsigned*>(is_shared ? static_cast<void*>(shared_at) : large.data());
    enqueue_table(on, device, table, is_shared ? 2 : 1, to);
    search.table = to;
  }
  if constexpr (can_add_counts<Search, Out>)
    if (call.adds) launch<clear_counts<Out>>(pick_clear(call), on, device, call, out);
  launch<count_places<input, Search, Out>>(
      plan, on, device, call, input{first, is_vector_aligned(first)}, search, out, words);
  if (call.is_alone || call.adds) return;
  launch<sum_counts<Search::refuses, Out>>(pick_sums<U>(plan, call), on, device, call,
                                           static_cast<unsigned>(plan.blocks), out, words);
}

/// The call without what pick_count decides.
[[nodiscard]] inline count_call count_call_of(gpu const& on, std::size_t n, std::size_t places,
                                              unsigned offset, std::size_t size) {
  detail::expects(places < std::size_t{1} << 31, "upsweep::gpu: a histogram has at most 2^31 bins");
  count_call call{};
  call.most = n;
  call.given = reinterpret_cast<word const*>(on.length_from);
  call.places = static_cast<unsigned>(places);
  call.offset = offset;
  call.bins = static_cast<unsigned>(size);
  call.outside = returned_counts(on);
  call.reports = on.count_to == nullptr;
  return call;
}
/// Waits, unless the call only makes plans, and throws if a count did not fit.
template <class U>
[[nodiscard]] count_report wait_for_counts(gpu const& on, char const* verb) {
  if (on.plans_to != nullptr) return {};
  wait_for(on, "finish the counts");
  auto const report = *static_cast<count_report const*>(host_slot::of_this_thread());
  if (report.too_large != ~word{0})
    detail::fail_count(verb, report.largest, report.too_large, 8 * sizeof(U));
  return report;
}

/// Calls then(search, table) with the fastest search for elements of type T in these bins, and the
/// words of its table, if it has one.
template <class T, class Levels, class Then>
void with_search(std::size_t size, Levels const& levels, histogram_options const& o,
                 Then const& then) {
  auto const by_table = [&] {
    level_table<T> const table(levels, size, o.closed_right);
    then(table.search, table.words);
  };
  std::vector<unsigned> const none;
  if constexpr (std::is_same_v<Levels, detail::even_levels>) {
    using F = std::conditional_t<sizeof(T) <= 4, float, double>;
    auto const on_lattice = search_lattice<T, F>(levels);
    auto const by_line = search_even<T, F>(levels, o.closed_right);
    auto const in_doubles = search_even<T, double>(levels, o.closed_right);
    if (has_exact_borders(on_lattice, levels, o.closed_right))
      then(on_lattice, none);
    else if (is_useful(by_line, levels))
      then(by_line, none);
    else if (is_useful(in_doubles, levels))
      then(in_doubles, none);
    else
      by_table();
  } else {
    by_table();
  }
}

template <class It, class Out, class Levels>
outside_counts histogram_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                            std::size_t size, Levels const& levels, histogram_options const& o) {
  using T = std::iter_value_t<It>;
  count_call const call = count_call_of(on, n, size + 3, 1, size);
  with_search<T>(size, levels, o, [&](auto const& search, std::vector<unsigned> const& table) {
    enqueue_count(on, device_iterator(first), call, search, device_iterator(out), table);
  });
  if (on.count_to != nullptr) return {};
  auto const [found, first_refused, too_large, largest] =
      wait_for_counts<std::iter_value_t<Out>>(on, "histogram");
  return {.below = found[0], .above = found[1], .nan = found[2]};
}

template <class It, class Out>
void count_indices_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                      std::size_t size) {
  using T = std::iter_value_t<It>;
  count_call const call = count_call_of(on, n, size + 1, 0, size);
  enqueue_count(on, device_iterator(first), call,
                index_search<T>{static_cast<typename index_search<T>::bits>(size)},
                device_iterator(out));
  if (on.count_to != nullptr) return;
  auto const report = wait_for_counts<std::iter_value_t<Out>>(on, "count_indices");
  if (report.outside[0] > 0) detail::fail_index(report.first_refused, size);
}

}  // namespace upsweep::device

// The compiled histograms.

/// `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_HISTOGRAM(declare, T, U, Levels)                                    \
  static_assert(compiled_histogram<T const*, U*, Levels>);                               \
  declare template outside_counts histogram_on(gpu const&, T const* const&, std::size_t, \
                                               U* const&, std::size_t, Levels const&,    \
                                               histogram_options const&);
#define UPSWEEP_CUDA_HISTOGRAMS_OF(declare, T, U)            \
  UPSWEEP_CUDA_HISTOGRAM(declare, T, U, detail::even_levels) \
  UPSWEEP_CUDA_HISTOGRAM(declare, T, U, std::vector<double>)
#define UPSWEEP_CUDA_COUNT_INDICES(declare, T, U)                                             \
  static_assert(compiled_count_indices<T const*, U*>);                                        \
  declare template void count_indices_on(gpu const&, T const* const&, std::size_t, U* const&, \
                                         std::size_t);

/// Those with counts of type U.
#define UPSWEEP_CUDA_HISTOGRAMS(declare, U)             \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, std::uint8_t, U)  \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, std::int32_t, U)  \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, float, U)         \
  UPSWEEP_CUDA_HISTOGRAMS_OF(declare, double, U)        \
  UPSWEEP_CUDA_COUNT_INDICES(declare, std::int32_t, U)  \
  UPSWEEP_CUDA_COUNT_INDICES(declare, std::uint32_t, U) \
  UPSWEEP_CUDA_COUNT_INDICES(declare, std::int64_t, U)

namespace upsweep::device {

UPSWEEP_CUDA_HISTOGRAMS(extern, std::uint32_t)
UPSWEEP_CUDA_HISTOGRAMS(extern, std::uint64_t)

}  // namespace upsweep::device
