/// Histograms over ranks.
#pragma once

#include <upsweep/histogram.hpp>
#include <upsweep/ranks/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::detail {

/// How many elements of some ranks lie in each bin, and outside.
struct histogram_of_ranks {
  std::vector<std::uint64_t> counts;
  std::uint64_t below = 0, above = 0, nan = 0;
  void append(histogram_of_ranks const& later) {
    if (later.counts.empty()) return;  // of no rank
    if (counts.size() != later.counts.size())
      fail("histogram: one rank has %zu counts, but another has %zu", counts.size(),
           later.counts.size());
    for (std::size_t b = 0; b < counts.size(); ++b) counts[b] += later.counts[b];
    below += later.below;
    above += later.above;
    nan += later.nan;
  }
  auto parts() { return std::tie(counts, below, above, nan); }
  auto parts() const { return std::tie(counts, below, above, nan); }
};

/// Adds what a call over bins has in common besides the number of bins, which append() compares.
template <class Bins>
void describe_bins(call_of_ranks& call, Bins const& bins, histogram_options const& o) {
  if constexpr (std::is_same_v<Bins, even>)
    call.options(o.closed_right, bins.low, bins.high);
  else
    call.options(o.closed_right, std::vector<std::ranges::range_value_t<Bins>>(
                                     std::ranges::begin(bins), std::ranges::end(bins)));
}

/// Stores the sums of the counts of all ranks, which count() makes of this rank's elements.
template <communicator C, class Counts, class Describe, class F>
outside_counts add_counts(char const* verb, C const& all, Counts& counts, Describe const& describe,
                          F const& count) {
  rank_exchange<C> with(all, {verb, {round::from_last}}, describe);
  std::optional<histogram_of_ranks> const none(std::in_place);
  std::optional<histogram_of_ranks> own(std::in_place);
  with.attempt([&] {
    own->counts.resize(std::ranges::size(counts));
    outside_counts const outside = count(own->counts);
    own->below = outside.below;
    own->above = outside.above;
    own->nan = outside.nan;
  });
  auto const known = with.join(none, own);
  auto const whole = with.result_of_all(none, known.run);
  std::vector<std::size_t> const sums(whole.counts.begin(), whole.counts.end());
  store_counts(verb, sums.data(), counts);
  return {static_cast<std::size_t>(whole.below), static_cast<std::size_t>(whole.above),
          static_cast<std::size_t>(whole.nan)};
}

/// What is outside of the bins of some ranks, and a partial for each bin.
template <class P>
struct weights_of_ranks {
  P none;
  histogram_of_ranks counts{};
  std::vector<P> bins{};
  void append(weights_of_ranks const& later) {
    counts.append(later.counts);
    for (std::size_t b = 0; b < later.bins.size(); ++b) bins[b].append(later.bins[b]);
  }
};
template <class P>
void put(bytes::writer& out, weights_of_ranks<P> const& of) {
  out.value(of.counts);
  out.number(std::uint64_t{of.bins.size()});
  for (P const& bin : of.bins) {
    bytes::writer one;
    put(one, bin);
    out.value(one.take());
  }
}
template <class P>
weights_of_ranks<P> get(bytes::reader& in, weights_of_ranks<P> const& none) {
  weights_of_ranks<P> of(none);
  in.value(of.counts);
  auto const bins = in.template number<std::uint64_t>();
  for (std::uint64_t b = 0; b < bins; ++b) {
    std::vector<std::byte> one;
    in.value(one);
    bytes::reader bin(one);
    of.bins.push_back(get(bin, none.none));
  }
  return of;
}

template <communicator C, executor E, class X, class Weights, class Results, class Bins, class Op>
outside_counts reduce_weights_of_pieces(ranks<C, E> const& all, X const& x, Weights const& weights,
                                        Results& results, Bins const& bins, Op const& op,
                                        histogram_options const& o) {
  using W = std::ranges::range_value_t<Weights>;
  using P = partial<W, Op>;
  rank_exchange<C> with(all.connection, {"weighted_histogram", {round::forward, round::from_last}},
                        [&](call_of_ranks& call) {
                          call.template elements<std::ranges::range_value_t<X>, W>().operation(op);
                          describe_bins(call, bins, o);
                        });
  std::size_t n = 0, size = 0;
  std::optional<bin_order> order;
  std::optional<histogram_of_ranks> const none(std::in_place);
  std::optional<histogram_of_ranks> own(std::in_place);
  with.attempt([&] {
    n = std::ranges::size(x);
    size = std::ranges::size(results);
    if (n != std::ranges::size(weights))
      fail_inputs("weighted_histogram", n, std::ranges::size(weights));
    expect_bins(size);
    auto const finder = finder_for<E, std::ranges::range_value_t<X>>(bins, size, n, o);
    order.emplace(all.on, n, size, [&](std::size_t i, std::size_t count, std::uint32_t* to) {
      find_block(first_of(x), i, count, finder, to);
    });
    std::vector<std::size_t> counts(size);
    order->store_sizes(counts.data());
    own->counts.assign(counts.begin(), counts.end());
    own->below = order->outside().below;
    own->above = order->outside().above;
    own->nan = order->outside().nan;
  });
  auto const known = with.join(none, own);
  std::optional<weights_of_ranks<P>> no_weights, mine;
  with.attempt([&] {
    float_environment const ieee;
    no_weights.emplace(weights_of_ranks<P>{P(0, op)});
    mine.emplace(weights_of_ranks<P>{P(0, op), *own});
    auto const& front = known.front->counts;
    std::vector<W> sorted(n);
    order->place(all.on, [&](std::size_t to, std::size_t i) {
      sorted[to] = element_at(first_of(weights), i);
    });
    for (std::size_t b = 0; b < size; ++b) {
      std::size_t const begin = order->offsets()[b], end = order->offsets()[b + 1];
      mine->bins.emplace_back(front.empty() ? 0 : static_cast<std::size_t>(front[b]), op);
      mine->bins[b].push(all.on, std::span<W const>(sorted).subspan(begin, end - begin));
    }
  });
  auto const weights_of_all = with.join(no_weights, mine);
  auto const whole = with.result_of_all(no_weights, weights_of_all.run);
  for (std::size_t b = 0; b < size; ++b)
    element_at(output_iterator(results), b) =
        static_cast<std::ranges::range_value_t<Results>>(whole.bins[b].result());
  return {static_cast<std::size_t>(whole.counts.below),
          static_cast<std::size_t>(whole.counts.above), static_cast<std::size_t>(whole.counts.nan)};
}

}  // namespace upsweep::detail

namespace upsweep {

/// histogram() over all pieces. Every rank gets the counts. Bins and options must be the same on
/// all ranks.
template <communicator C, executor E, elements X, detail::output_like Counts,
          detail::bins_of_numbers Bins>
outside_counts histogram(ranks<C, E> const& all, X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  detail::expect_kept<Counts>();
  if constexpr (detail::lies_in_bins<std::ranges::range_value_t<X>>() &&
                detail::stores_counts<Counts>())
    return detail::add_counts(
        "histogram", all.connection, counts,
        [&](detail::call_of_ranks& call) {
          call.template elements<std::ranges::range_value_t<X>>();
          detail::describe_bins(call, bins, o);
        },
        [&](auto& own) { return upsweep::histogram(all.on, x, own, bins, o); });
  return {};
}
/// weighted_histogram() over all pieces. Every rank gets the results; the weights of a bin are
/// combined in the order of the ranks. Weights must have default values, and accumulators bytes.
template <communicator C, executor E, elements X, elements Weights, detail::output_like Results,
          detail::bins_of_numbers Bins, class Op = plus>
outside_counts weighted_histogram(ranks<C, E> const& all, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins, Op const& op,
                                  histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  using namespace detail;
  if constexpr (std::is_function_v<Op>)
    return upsweep::weighted_histogram(all, x, weights, results, bins, &op, o);
  else if constexpr (lies_in_bins<std::ranges::range_value_t<X>>() &&
                     scan_fits<Weights, Results, as_is, Op>() && runs_on_processor<E>())
    return reduce_weights_of_pieces(all, x, weights, results, bins, op, o);
  return {};
}
template <communicator C, executor E, elements X, elements Weights, detail::output_like Results,
          detail::bins_of_numbers Bins>
outside_counts weighted_histogram(ranks<C, E> const& all, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins,
                                  histogram_options const& o = {}) {
  detail::expect_kept<Results>();
  return upsweep::weighted_histogram(all, x, weights, results, bins, plus{}, o);
}
/// count_indices() over all pieces. Positions in errors count from the begin of a piece.
template <communicator C, executor E, elements X, detail::output_like Counts>
void count_indices(ranks<C, E> const& all, X const& x, Counts&& counts) {
  detail::expect_kept<Counts>();
  if constexpr (detail::stores_counts<Counts>())
    (void)detail::add_counts(
        "count_indices", all.connection, counts,
        [&](detail::call_of_ranks& call) {
          call.template elements<std::ranges::range_value_t<X>>();
        },
        [&](auto& own) {
          upsweep::count_indices(all.on, x, own);
          return outside_counts{};
        });
}

}  // namespace upsweep
