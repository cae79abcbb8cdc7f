/// The verbs over an array of which each rank (a process or a thread) has a piece, with the bits of
/// one call over the whole.
///
/// Every rank calls the same verb with its own piece. The pieces follow each other in the order of
/// the ranks, and may be empty. Elements and results stay on their rank: ranks exchange a few
/// hundred bytes.
#pragma once

#include <upsweep/ranks/by_key.hpp>
#include <upsweep/ranks/histogram.hpp>
#include <upsweep/ranks/scan.hpp>
#include <upsweep/ranks/segments.hpp>
#include <upsweep/ranks/select.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

namespace upsweep {

// Functions such as std::max<T>, which are several functions, as operators over ranks: the call
// takes that of two elements.

template <communicator C, executor E, elements In>
[[nodiscard]] auto reduce(ranks<C, E> const& all, In const& in, detail::function_over<In>& op,
                          options<std::ranges::range_value_t<In>> const& o = {}) {
  return upsweep::reduce(all, in, &op, o);
}
template <communicator C, executor E, elements In, detail::not_elements F>
[[nodiscard]] auto transform_reduce(
    ranks<C, E> const& all, In const& in, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  return upsweep::transform_reduce(all, in, f, &op, o);
}
template <communicator C, executor E, elements X, elements Y, class F>
[[nodiscard]] auto transform_reduce(
    ranks<C, E> const& all, X const& x, Y const& y, F const& f,
    detail::function_after_both<X, Y, F>& op,
    options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  return upsweep::transform_reduce(all, x, y, f, &op, o);
}

template <communicator C, executor E, elements In, detail::output_like Out>
void inclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, detail::function_over<In>& op,
                    options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::inclusive_scan(all, in, std::forward<Out>(out), &op, o);
}
template <communicator C, executor E, elements In, detail::output_like Out, detail::not_output F>
void transform_inclusive_scan(
    ranks<C, E> const& all, In const& in, Out&& out, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  upsweep::transform_inclusive_scan(all, in, std::forward<Out>(out), f, &op, o);
}
template <communicator C, executor E, elements X, elements Y, detail::output_like Out, class F>
void transform_inclusive_scan(ranks<C, E> const& all, X const& x, Y const& y, Out&& out, F const& f,
                              detail::function_after_both<X, Y, F>& op,
                              options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  upsweep::transform_inclusive_scan(all, x, y, std::forward<Out>(out), f, &op, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out>
void inclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::inclusive_scan_runs(all, keys, in, std::forward<Out>(out), &op, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out>
void inclusive_scan_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::inclusive_scan_segments(all, in, begins, std::forward<Out>(out), &op, o);
}

template <communicator C, executor E, elements In, detail::output_like Out>
void exclusive_scan(ranks<C, E> const& all, In const& in, Out&& out, detail::function_over<In>& op,
                    options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::exclusive_scan(all, in, std::forward<Out>(out), &op, o);
}
template <communicator C, executor E, elements In, detail::output_like Out, detail::not_output F>
void transform_exclusive_scan(
    ranks<C, E> const& all, In const& in, Out&& out, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  upsweep::transform_exclusive_scan(all, in, std::forward<Out>(out), f, &op, o);
}
template <communicator C, executor E, elements X, elements Y, detail::output_like Out, class F>
void transform_exclusive_scan(ranks<C, E> const& all, X const& x, Y const& y, Out&& out, F const& f,
                              detail::function_after_both<X, Y, F>& op,
                              options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  upsweep::transform_exclusive_scan(all, x, y, std::forward<Out>(out), f, &op, o);
}
template <communicator C, executor E, elements Keys, elements In, detail::output_like Out>
void exclusive_scan_runs(ranks<C, E> const& all, Keys const& keys, In const& in, Out&& out,
                         detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::exclusive_scan_runs(all, keys, in, std::forward<Out>(out), &op, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out>
void exclusive_scan_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  upsweep::exclusive_scan_segments(all, in, begins, std::forward<Out>(out), &op, o);
}

template <communicator C, executor E, elements Keys, elements In, detail::output_like KeysOut,
          detail::output_like Out>
result_piece reduce_runs(ranks<C, E> const& all, Keys const& keys, In const& in, KeysOut&& to_keys,
                         Out&& to_values, detail::function_over<In>& op,
                         options<std::ranges::range_value_t<In>> const& o = {}) {
  return upsweep::reduce_runs(all, keys, in, std::forward<KeysOut>(to_keys),
                              std::forward<Out>(to_values), &op, o);
}
template <communicator C, executor E, elements In, elements Begins, detail::output_like Out>
result_piece reduce_segments(ranks<C, E> const& all, In const& in, Begins const& begins, Out&& out,
                             detail::function_over<In>& op,
                             options<std::ranges::range_value_t<In>> const& o = {}) {
  return upsweep::reduce_segments(all, in, begins, std::forward<Out>(out), &op, o);
}
template <communicator C, executor E, elements In, std::integral Width, detail::output_like Out>
result_piece windowed(ranks<C, E> const& all, In const& in, Width width, Out&& out,
                      detail::function_over<In>& op,
                      options<std::ranges::range_value_t<In>> const& o = {}) {
  return upsweep::windowed(all, in, width, std::forward<Out>(out), &op, o);
}
template <communicator C, executor E, elements X, elements Weights, detail::output_like Results,
          detail::bins_of_numbers Bins>
outside_counts weighted_histogram(ranks<C, E> const& all, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins,
                                  detail::function_over<Weights>& op,
                                  histogram_options const& o = {}) {
  return upsweep::weighted_histogram(all, x, weights, std::forward<Results>(results), bins, &op, o);
}

}  // namespace upsweep

namespace upsweep::detail {

/// The refusal of verbs that would move elements between ranks.
template <class C>
constexpr void refuse_over_ranks() {
  static_assert(std::is_void_v<C>,
                "upsweep: sort, sort_by_key, argsort, top and quantile do not run over ranks, "
                "because elements would move between them; sort with an engine that moves data");
}

}  // namespace upsweep::detail

namespace upsweep {

template <communicator C, executor E, class... Args>
void sort(ranks<C, E> const&, Args const&...) {
  detail::refuse_over_ranks<C>();
}
template <communicator C, executor E, class... Args>
void sort_by_key(ranks<C, E> const&, Args const&...) {
  detail::refuse_over_ranks<C>();
}
template <communicator C, executor E, class... Args>
void argsort(ranks<C, E> const&, Args const&...) {
  detail::refuse_over_ranks<C>();
}
template <communicator C, executor E, class... Args>
std::size_t top(ranks<C, E> const&, Args const&...) {
  detail::refuse_over_ranks<C>();
  return 0;
}
template <communicator C, executor E, class X>
double quantile(ranks<C, E> const&, X const&, double) {
  detail::refuse_over_ranks<C>();
  return 0;
}

}  // namespace upsweep
