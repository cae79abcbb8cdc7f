/// Histograms over ranks.
#pragma once

#include <upsweep/communicator.hpp>
#include <upsweep/histogram.hpp>

#include <tuple>
#include <vector>

namespace upsweep {

namespace detail {

/// How many elements of some ranks lie in each bin, and outside.
struct histogram_of_ranks {
  std::vector<std::uint64_t> counts;
  std::uint64_t below = 0, above = 0, nan = 0;
  void append(histogram_of_ranks const& later) {
    if (later.counts.empty()) return;  // of no rank
    if (counts.empty()) counts.resize(later.counts.size());
    if (counts.size() != later.counts.size())
      fail("histogram: one rank has %zu counts, and another %zu", counts.size(),
           later.counts.size());
    for (std::size_t b = 0; b < counts.size(); ++b) counts[b] += later.counts[b];
    below += later.below;
    above += later.above;
    nan += later.nan;
  }
  auto parts() { return std::tie(counts, below, above, nan); }
  auto parts() const { return std::tie(counts, below, above, nan); }
};

/// Stores the sums of the counts of all ranks, which count() makes of this rank's elements.
template <communicator C, class Counts, class F>
outside_counts add_counts(char const* verb, C const& all, Counts& counts, F const& count) {
  meeting<C> with(all);
  histogram_of_ranks const none;
  histogram_of_ranks own;
  with.attempt([&] {
    own.counts.resize(std::ranges::size(counts));
    outside_counts const outside = count(own.counts);
    own.below = outside.below;
    own.above = outside.above;
    own.nan = outside.nan;
  });
  auto const whole = with.of_all(none, with.join(none, own).run);
  std::vector<std::size_t> const sums(whole.counts.begin(), whole.counts.end());
  store_counts(verb, sums.data(), counts);
  return {static_cast<std::size_t>(whole.below), static_cast<std::size_t>(whole.above),
          static_cast<std::size_t>(whole.nan)};
}

}  // namespace detail

/// The counts of histogram() over all pieces, stored on each rank; bins and options must be the
/// same everywhere.
template <communicator C, executor E, elements X, detail::output_like Counts,
          detail::bins_of_numbers Bins>
outside_counts histogram(ranks<C, E> const& all, X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  if constexpr (detail::lies_in_bins<std::ranges::range_value_t<X>>() &&
                detail::stores_counts<Counts>())
    return detail::add_counts("histogram", all.connection, counts, [&](auto& own) {
      return upsweep::histogram(all.on, x, own, bins, o);
    });
  return {};
}
/// The same of count_indices(); the position in its errors counts from the begin of a piece.
template <communicator C, executor E, elements X, detail::output_like Counts>
void count_indices(ranks<C, E> const& all, X const& x, Counts&& counts) {
  if constexpr (detail::stores_counts<Counts>())
    (void)detail::add_counts("count_indices", all.connection, counts, [&](auto& own) {
      upsweep::count_indices(all.on, x, own);
      return outside_counts{};
    });
}

}  // namespace upsweep
