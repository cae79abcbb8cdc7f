/// Histograms by name.
#include <upsweep/by_name/verbs/histograms.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/histogram.hpp>

#include <optional>
#include <vector>

namespace upsweep::dynamic {
namespace {

template <class Bins>
counts_outside histogram_in(cpu const& on, dtype t, void const* in, std::size_t n, Bins const& bins,
                            bool closed_right, std::uint64_t* counts, std::size_t size) {
  detail::expect_bins(size);
  expect_apart("histogram", in, n * size_of(t), counts, size * sizeof *counts);
  outside_counts outside;
  auto const count = [&]<class T>() {
    outside = upsweep::histogram(on, elements_at<T>(in, n), std::span(counts, size), bins,
                                 {.closed_right = closed_right});
  };
  dispatch(numbers{}, t, count, [] {});
  return {outside.below, outside.above, outside.nan};
}

/// The weights are moved to their elements' bins, each of which is a segment.
template <class Bins>
counts_outside weighted_in(cpu const& on, weighted_array const& x, Bins const& bins,
                           bool closed_right, void* results, std::size_t size) {
  detail::expect_bins(size);
  dtype const weight = x.entry.element;
  std::size_t const bytes = size_of(weight), room = size * size_of(x.entry.result);
  expect_apart("weighted_histogram", x.in, x.n * size_of(x.type), results, room);
  expect_apart("weighted_histogram", x.weights, x.n * bytes, results, room);
  std::optional<detail::bin_order> order;
  auto const find = [&]<class T>() {
    order.emplace(on, static_cast<T const*>(x.in), x.n, size,
                  detail::finder_for<cpu, T>(bins, size, x.n, {.closed_right = closed_right}));
  };
  dispatch(numbers{}, x.type, find, [] {});
  std::vector<std::uint64_t> sorted((x.n * bytes + 7) / 8),
      offsets(order->offsets().begin(), order->offsets().end());
  with_word_of(bytes, [&]<class W>() {
    order->place(
        on, [from = static_cast<W const*>(x.weights), to = reinterpret_cast<W*>(sorted.data())](
                std::size_t at, std::size_t i) { to[at] = from[i]; });
  });
  run_segments(verb::reduce, x.entry, {sorted.data(), offsets.back(), offsets.data(), size},
               {on, false, nullptr}, results);
  return {order->outside().below, order->outside().above, order->outside().nan};
}

}  // namespace

counts_outside histogram_even(cpu const& on, dtype t, void const* in, std::size_t n, double low,
                              double high, bool closed_right, std::uint64_t* counts,
                              std::size_t bins) {
  return histogram_in(on, t, in, n, even{low, high}, closed_right, counts, bins);
}

counts_outside histogram_levels(cpu const& on, dtype t, void const* in, std::size_t n,
                                double const* levels, bool closed_right, std::uint64_t* counts,
                                std::size_t bins) {
  detail::expect_bins(bins);
  expect_apart("histogram", levels, (bins + 1) * sizeof *levels, counts, bins * sizeof *counts);
  return histogram_in(on, t, in, n, std::span(levels, bins + 1), closed_right, counts, bins);
}

counts_outside weighted_histogram_even(cpu const& on, weighted_array const& x, double low,
                                       double high, bool closed_right, void* results,
                                       std::size_t bins) {
  return weighted_in(on, x, even{low, high}, closed_right, results, bins);
}

counts_outside weighted_histogram_levels(cpu const& on, weighted_array const& x,
                                         double const* levels, bool closed_right, void* results,
                                         std::size_t bins) {
  detail::expect_bins(bins);
  expect_apart("weighted_histogram", levels, (bins + 1) * sizeof *levels, results,
               bins * size_of(x.entry.result));
  return weighted_in(on, x, std::span(levels, bins + 1), closed_right, results, bins);
}

void count_indices(cpu const& on, dtype t, void const* in, std::size_t n, std::uint64_t* counts,
                   std::size_t size) {
  expect_apart("count_indices", in, n * size_of(t), counts, size * sizeof *counts);
  dispatch(
      integers{}, t,
      [&]<class T>() {
        upsweep::count_indices(on, elements_at<T>(in, n), std::span(counts, size));
      },
      [] {});
}

}  // namespace upsweep::dynamic
