/// Histograms by name.
#include <upsweep/by_name/verbs/histograms.hpp>
#include <upsweep/by_name/verbs/memory.hpp>
#include <upsweep/by_name/verbs/segment_engine.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/host/convert.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

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

template <class Bins>
counts_outside weighted_in(cpu const& on, weighted_array const& x, Bins const& bins,
                           bool closed_right, void* results, std::size_t size) {
  detail::expect_bins(size);
  std::size_t const room = size * size_of(x.entry.result);
  expect_apart("weighted_histogram", x.in, x.n * size_of(x.type), results, room);
  expect_apart("weighted_histogram", x.weights, x.n * size_of(x.entry.element), results, room);
  outside_counts outside;
  auto const reduce = [&]<class T>() {
    auto const finder = detail::finder_for<cpu, T>(bins, size, x.n, {.closed_right = closed_right});
    auto const find = [&](std::size_t i, std::size_t count, std::uint32_t* to) {
      finder(static_cast<T const*>(x.in) + i, count, to);
    };
    outside = reduce_bins(x.entry, {find, x.weights, x.n, size}, on, results, nullptr);
  };
  dispatch(numbers{}, x.type, reduce, [] {});
  return {outside.below, outside.above, outside.nan};
}

/// f(borders) of bins + 1 borders.
template <class F>
counts_outside with_levels(level_array const& levels, std::size_t bins, F const& f) {
  return dispatch(
      types<double, std::int64_t, std::uint64_t>{}, levels.type,
      [&]<class L>() { return f(std::span(static_cast<L const*>(levels.first), bins + 1)); },
      [] { return counts_outside{}; });
}

}  // namespace

counts_outside histogram_even(cpu const& on, dtype t, void const* in, std::size_t n, double low,
                              double high, bool closed_right, std::uint64_t* counts,
                              std::size_t bins) {
  return histogram_in(on, t, in, n, even{low, high}, closed_right, counts, bins);
}

counts_outside histogram_levels(cpu const& on, dtype t, void const* in, std::size_t n,
                                level_array levels, bool closed_right, std::uint64_t* counts,
                                std::size_t bins) {
  detail::expect_bins(bins);
  expect_apart("histogram", levels.first, (bins + 1) * sizeof(double), counts,
               bins * sizeof *counts);
  return with_levels(levels, bins, [&](auto const& borders) {
    return histogram_in(on, t, in, n, borders, closed_right, counts, bins);
  });
}

counts_outside weighted_histogram_even(cpu const& on, weighted_array const& x, double low,
                                       double high, bool closed_right, void* results,
                                       std::size_t bins) {
  return weighted_in(on, x, even{low, high}, closed_right, results, bins);
}

counts_outside weighted_histogram_levels(cpu const& on, weighted_array const& x, level_array levels,
                                         bool closed_right, void* results, std::size_t bins) {
  detail::expect_bins(bins);
  expect_apart("weighted_histogram", levels.first, (bins + 1) * sizeof(double), results,
               bins * size_of(x.entry.result));
  return with_levels(levels, bins, [&](auto const& borders) {
    return weighted_in(on, x, borders, closed_right, results, bins);
  });
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

void reduce_indices(cpu const& on, weighted_array const& x, void* results, std::size_t size) {
  detail::expect_bins(size);
  std::size_t const room = size * size_of(x.entry.result);
  expect_apart("count_indices", x.in, x.n * size_of(x.type), results, room);
  expect_apart("count_indices", x.weights, x.n * size_of(x.entry.element), results, room);
  auto const reduce = [&]<class T>() {
    T const* const indices = static_cast<T const*>(x.in);
    if (!detail::are_below(on, indices, x.n, size))
      detail::fail_index(detail::first_outside(indices, x.n, size), size);
    auto const find = [=](std::size_t i, std::size_t count, std::uint32_t* to) {
      host::by_64_avx2(count, [=](std::size_t begin) UPSWEEP_INLINED {
        return [from = indices + i + begin, to = to + begin](int j)
                   UPSWEEP_INLINED { to[j] = static_cast<std::uint32_t>(from[j]) + 1; };
      });
    };
    reduce_bins(x.entry, {find, x.weights, x.n, size, true}, on, results, nullptr);
  };
  dispatch(integers{}, x.type, reduce, [] {});
}

index_range range_of_indices(cpu const& on, dtype t, void const* in, std::size_t n) {
  return dispatch(
      integers{}, t,
      [&]<class T>() -> index_range {
        auto const x = elements_at<T>(in, n);
        std::int64_t negative = 0;
        if constexpr (std::is_signed_v<T>)
          if (T const smallest = upsweep::reduce(on, x, min{}); smallest < 0) negative = smallest;
        return {negative, static_cast<std::uint64_t>(upsweep::reduce(on, x, max{}))};
      },
      [] { return index_range{}; });
}

}  // namespace upsweep::dynamic
