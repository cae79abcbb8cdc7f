/// The verbs that <upsweep/upsweep.hpp> leaves out, because their headers include <algorithm>:
/// calls without the header are refused by a sentence that names it.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <cstddef>

namespace upsweep::detail {

/// What the header of such a verb requires of its last overload, which therefore is preferred to
/// the one below.
template <class... Args>
concept header_is_included = true;
template <class... Args>
inline constexpr bool header_is_missing = false;

template <class... Args>
constexpr void needs_sort() {
  static_assert(header_is_missing<Args...>,
                "upsweep: sort, sort_by_key and argsort need #include <upsweep/sort.hpp>");
}
template <class... Args>
constexpr void needs_order_statistics() {
  static_assert(header_is_missing<Args...>,
                "upsweep: top and quantile need #include <upsweep/order_statistics.hpp>");
}
template <class... Args>
constexpr void needs_histogram() {
  static_assert(header_is_missing<Args...>,
                "upsweep: histogram, weighted_histogram and count_indices need #include "
                "<upsweep/histogram.hpp>");
}

}  // namespace upsweep::detail

namespace upsweep {

template <class... Args>
void sort(Args const&...) {
  detail::needs_sort<Args...>();
}
template <class... Args>
void sort_by_key(Args const&...) {
  detail::needs_sort<Args...>();
}
template <class... Args>
void argsort(Args const&...) {
  detail::needs_sort<Args...>();
}
template <class... Args>
std::size_t top(Args const&...) {
  detail::needs_order_statistics<Args...>();
  return 0;
}
/// As in the header, whose concepts make it preferred; another type of `q` would win for integers.
template <class X>
double quantile(X const&, double) {
  detail::needs_order_statistics<X>();
  return 0;
}
template <class X, class E>
double quantile(E const&, X const&, double) {
  detail::needs_order_statistics<X>();
  return 0;
}
template <class... Args>
void histogram(Args const&...) {
  detail::needs_histogram<Args...>();
}
template <class... Args>
void weighted_histogram(Args const&...) {
  detail::needs_histogram<Args...>();
}
template <class... Args>
void count_indices(Args const&...) {
  detail::needs_histogram<Args...>();
}

}  // namespace upsweep
