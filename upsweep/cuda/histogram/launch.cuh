/// Histograms: the search for the bins, where the blocks count, then the launch. The host waits for
/// the counts outside of the bins, unless they stay on the device.
#pragma once

#include <upsweep/bins.hpp>
#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/histogram/count.hpp>
#include <upsweep/cuda/histogram/search_bins.hpp>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/reduce/launch.cuh>

#include <cstring>
#include <iterator>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// The plan to count n elements of type T at `places` places; `table` words of it are in the
/// search's table. Sets where the blocks count.
template <class T, bool by_value>
[[nodiscard]] cuda_plan pick_count(std::size_t n, std::size_t table, count_call& call,
                                   cuda_device const& device) {
  std::size_t const room = (device.shared_bytes - 1024) / 4, places = by_value ? 256 : call.places;
  std::size_t const for_copies = std::size_t{1} << 15, shares = std::size_t{1} << 31;
  call.kind = places <= room             ? counter_kind::copies
              : (places + 1) / 2 <= room ? counter_kind::halves
                                         : counter_kind::totals;
  call.copies = call.kind != counter_kind::copies ? 0
                : places > for_copies / 2
                    ? 1
                    : static_cast<unsigned>(detail::at_most(for_copies / places, std::size_t{8}));
  std::size_t const counters =
      (call.kind == counter_kind::copies ? call.copies * places : call.counter_words()) + 1;
  bool const table_fits = table <= std::size_t{1} << 13 && counters + table <= room;
  call.shared_table = table_fits ? static_cast<unsigned>(table) : 0;
  std::size_t const vectors = divide_up(n, std::size_t{most_count_threads} * items_of<T>);
  std::size_t const blocks =
      detail::at_most(vectors, static_cast<std::size_t>(device.multiprocessors));
  // A block's counters have 32 bits.
  std::size_t const least = divide_up(n, shares) > 1 ? divide_up(n, shares) : 1;
  return {.algorithm = cuda_algorithm::count_places,
          .tile = std::size_t{most_count_threads} * items_of<T>,
          .blocks = blocks > least ? blocks : least,
          .threads = most_count_threads,
          .shared_bytes = (counters + call.shared_table) * 4,
          .launches = 1,
          .workspace_bytes =
              (total_counts::words_needed(call.places) + divide_up(table, 2)) * sizeof(word),
          .traffic_bytes = n * sizeof(T)};
}

/// Enqueues the copies of a table to device memory.
template <unsigned size>
void enqueue_table(gpu const& on, cuda_device const& device, std::vector<unsigned> const& words,
                   unsigned* to) {
  cuda_plan const plan{
      .algorithm = cuda_algorithm::store, .blocks = 1, .threads = 256, .launches = 1};
  for (std::size_t i = 0; i < words.size(); i += size) {
    table_part<size> part;
    std::size_t const count = detail::at_most(words.size() - i, std::size_t{size});
    std::memcpy(part.words, words.data() + i, 4 * count);
    launch<store_table<size>>(plan, on, device, part, static_cast<unsigned>(count), to + i);
  }
}

/// Enqueues the call.
template <class It, class Search, class Out>
void enqueue_count(gpu const& on, It const& first, count_call call, Search search, Out const& out,
                   std::vector<unsigned> const& table = {}) {
  using input = element_input<It>;
  using T = typename input::element;
  constexpr bool by_value = sizeof(T) == 1 && !Search::refuses;
  cuda_device const device = cuda_device::current();
  cuda_plan const plan = pick_count<T, by_value>(call.most, table.size(), call, device);
  auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
  workspace_words const words = words_of_lease(scratch);
  if constexpr (Search::has_table) {
    auto* const to =
        reinterpret_cast<unsigned*>(words.words + total_counts::words_needed(call.places));
    if (table.size() <= 1000)
      enqueue_table<1000>(on, device, table, to);
    else
      enqueue_table<8000>(on, device, table, to);
    search.table = to;
  }
  launch<count_places<input, Search, Out>>(
      plan, on, device, call, input{first, is_vector_aligned(first)}, search, out, words);
}

/// The call without what pick_count decides.
[[nodiscard]] inline count_call count_call_of(gpu const& on, std::size_t n, std::size_t places,
                                              unsigned offset, std::size_t size) {
  bool const waits = on.count_to == nullptr;
  count_call call{};
  call.most = n;
  call.given = reinterpret_cast<word const*>(on.length_from);
  call.places = static_cast<unsigned>(places);
  call.offset = offset;
  call.bins = static_cast<unsigned>(size);
  call.outside = waits ? static_cast<word*>(host_slot::of_this_thread())
                       : reinterpret_cast<word*>(on.count_to);
  call.reports = waits;
  return call;
}
/// Waits, and throws if a count did not fit.
template <class U>
[[nodiscard]] count_report wait_for_counts(gpu const& on, char const* verb) {
  check_cuda(cudaStreamSynchronize(on.stream), "finish the counts");
  auto const report = *static_cast<count_report const*>(host_slot::of_this_thread());
  if (report.too_large != ~word{0})
    detail::fail_count(verb, report.largest, report.too_large, 8 * sizeof(U));
  return report;
}

template <class It, class Out, class Levels>
outside_counts histogram_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                            std::size_t size, Levels const& levels, histogram_options const& o) {
  using T = std::iter_value_t<It>;
  auto const x = device_iterator(first);
  auto const to = device_iterator(out);
  count_call const call = count_call_of(on, n, size + 3, 1, size);
  auto const by_table = [&] {
    level_table<T> const table(levels, size, o.closed_right);
    enqueue_count(on, x, call, table.search, to, table.words);
  };
  if constexpr (std::is_same_v<Levels, detail::even_levels>) {
    auto const in_floats = search_even<T, float>(levels, o.closed_right);
    auto const in_doubles = search_even<T, double>(levels, o.closed_right);
    if (sizeof(T) <= 4 && is_useful(in_floats))
      enqueue_count(on, x, call, in_floats, to);
    else if (is_useful(in_doubles))
      enqueue_count(on, x, call, in_doubles, to);
    else
      by_table();
  } else {
    by_table();
  }
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
  enqueue_count(on, device_iterator(first), call, index_search<T>{size}, device_iterator(out));
  if (on.count_to != nullptr) return;
  auto const report = wait_for_counts<std::iter_value_t<Out>>(on, "count_indices");
  if (report.outside[0] > 0) detail::fail_index(report.first_refused, size);
}

}  // namespace upsweep::device
