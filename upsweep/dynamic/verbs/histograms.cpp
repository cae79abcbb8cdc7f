/// Histograms by name.
#include <upsweep/dynamic/verbs/histograms.hpp>
#include <upsweep/dynamic/verbs/memory.hpp>
#include <upsweep/histogram.hpp>

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
