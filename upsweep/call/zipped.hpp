/// Two ranges as one, for the two-range forms of the transform verbs: element i is f(x[i], y[i]).
#pragma once

#include <upsweep/call/requirements.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/indexed_range.hpp>

#include <cstddef>
#include <span>  // brings the iterator and range concepts

namespace upsweep {

namespace detail {

/// f(x[i], y[i]) for iterators `x` and `y`.
template <class X, class Y, class F>
struct zipped_elements {
  using value =
      typename returned_value<F, std::iter_reference_t<X>, std::iter_reference_t<Y>>::type;

  X x{};
  Y y{};
  F const* f = nullptr;

  UPSWEEP_BOTH constexpr value operator()(std::ptrdiff_t i) const {
    return static_cast<value>(invoke_function(*f, x[static_cast<std::iter_difference_t<X>>(i)],
                                              y[static_cast<std::iter_difference_t<Y>>(i)]));
  }
  template <int count>
  void prefetch(std::size_t i) const {
    detail::prefetch<count>(x, i);
    detail::prefetch<count>(y, i);
  }
};

/// The type of f(x[i], y[i]) for ranges `X` and `Y`.
template <class X, class Y, class F>
struct zipped_value {
  using type = not_callable;
};
template <class X, class Y, class F>
  requires std::ranges::range<X const> && std::ranges::range<Y const>
struct zipped_value<X, Y, F> : returned_value<F, std::iter_reference_t<first_of_t<X>>,
                                              std::iter_reference_t<first_of_t<Y>>> {};

/// The range of f(x[i], y[i]). It refers to the two ranges and to the function.
template <class X, class Y, class F>
using zipped = indexed_range<zipped_elements<first_of_t<X>, first_of_t<Y>, F>>;

/// Throws precondition_error when the sizes of `x` and `y` differ.
template <class X, class Y, class F>
[[nodiscard]] zipped<X, Y, F> zip(char const* verb, X const& x, Y const& y, F const& f) {
  std::size_t const n = std::ranges::size(x);
  if (n != std::ranges::size(y)) fail_inputs(verb, n, std::ranges::size(y));
  return {{first_of(x), first_of(y), std::addressof(f)}, n};
}

/// True when `F` can be called with the elements of `X` and `Y`; otherwise a static_assert says
/// what is wrong.
template <class X, class Y, class F>
constexpr bool zip_fits() {
  return function_fits<F, std::iter_reference_t<first_of_t<X>>,
                       std::iter_reference_t<first_of_t<Y>>>();
}

}  // namespace detail

}  // namespace upsweep
