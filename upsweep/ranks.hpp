/// The verbs over an array of which each rank (a process or a thread) has a piece, with the bits of
/// one call over the whole.
///
/// Every rank calls the same verb with its own piece. The pieces follow each other in the order of
/// the ranks, and may be empty. Elements and results stay on their rank: ranks exchange a few
/// hundred bytes.
#pragma once

#include <upsweep/ranks/by_key.hpp>
#include <upsweep/ranks/functions.hpp>
#include <upsweep/ranks/histogram.hpp>
#include <upsweep/ranks/scan.hpp>
#include <upsweep/ranks/segments.hpp>
#include <upsweep/ranks/select.hpp>

#include <cstddef>
#include <type_traits>

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
