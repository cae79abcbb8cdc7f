/// reduce and transform_reduce: one value from all elements, combined in input order.
#pragma once

#include <upsweep/call/results.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cstddef>
#include <span>

namespace upsweep::detail {

/// All reductions of a range.
template <executor E, elements In, class F, class Op>
[[nodiscard]] auto reduce_range(E const& on, In const& in, F const& f, Op const& op,
                                options<accumulator_over<Op, In const, F>> const& o) {
  using namespace std::ranges;
  if constexpr (operands_fit<Op, range_reference_t<In const>, range_value_t<In>, F>()) {
    environment_if<!is_over_integers<Op, In, F>()> const ieee;
    std::size_t const n = std::ranges::size(in);
    if (n == 0) return detail::finished(op, detail::result_of_empty(op, o));
    start_of<Op, accumulator_over<Op, In const, F>> const start(op, o.initial);
    if (o.reverse)
      return reduce_call(on, call{source_of<true>(in, n, f, op), n, op, o.mode, start.get()}, o);
    return reduce_call(on, call{source_of<false>(in, n, f, op), n, op, o.mode, start.get()}, o);
  } else {
    return no_result<range_value_t<In>>();
  }
}

/// All reductions of two ranges.
template <executor E, elements X, elements Y, class F, class Op>
[[nodiscard]] auto reduce_both(E const& on, X const& x, Y const& y, F const& f, Op const& op,
                               options<accumulator_over_both<Op, X, Y, F>> const& o) {
  if constexpr (zip_fits<X, Y, F>())
    return reduce_range(on, zip("transform_reduce", x, y, f), as_is{}, op, o);
  else
    return no_result<std::ranges::range_value_t<X>>();
}

}  // namespace upsweep::detail

namespace upsweep {

/// Applies `f` to each element and reduces the results in input order: initial op f(x[0]) op
/// f(x[1]) op ..., with the association of the combine tree (docs/contracts.md). `f` may be a
/// pointer to a member. The result has the type that the operator finishes to: int64 for the sum of
/// int32.
///
/// `.tree = tree::pairwise` selects the association of P4016 with one lane (docs/spec/pairwise.md);
/// GPUs reject it. Throws precondition_error for an empty input without `.initial` if the operator
/// has no identity. Exceptions of `f` and `op` propagate.
template <elements In, executor E = detail::default_executor_t<In>, detail::not_elements F,
          class Op = plus>
[[nodiscard]] auto transform_reduce(
    E const& on, In const& in, F const& f, Op const& op,
    options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  return detail::reduce_range(on, in, f, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::not_elements F>
[[nodiscard]] auto transform_reduce(
    E const& on, In const& in, F const& f,
    options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  return detail::reduce_range(on, in, f, plus{}, o);
}
template <elements In, detail::not_elements F, class Op = plus>
[[nodiscard]] auto transform_reduce(
    In const& in, F const& f, Op const& op,
    options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  return detail::reduce_range(detail::default_executor_t<In>{}, in, f, op, o);
}
template <elements In, detail::not_elements F>
[[nodiscard]] auto transform_reduce(
    In const& in, F const& f, options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  return detail::reduce_range(detail::default_executor_t<In>{}, in, f, plus{}, o);
}

/// Reduces f(x[0], y[0]), f(x[1], y[1]), ...: dot products, distances, weighted sums. `f` comes
/// before the operator. Throws precondition_error if `x` and `y` differ in size, and as above.
template <elements X, executor E = detail::default_executor_t<X>, elements Y, class F,
          class Op = plus>
[[nodiscard]] auto transform_reduce(
    E const& on, X const& x, Y const& y, F const& f, Op const& op,
    options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  return detail::reduce_both(on, x, y, f, op, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y, class F>
[[nodiscard]] auto transform_reduce(
    E const& on, X const& x, Y const& y, F const& f,
    options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  return detail::reduce_both(on, x, y, f, plus{}, o);
}
template <elements X, elements Y, class F, class Op = plus>
[[nodiscard]] auto transform_reduce(
    X const& x, Y const& y, F const& f, Op const& op,
    options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  return detail::reduce_both(detail::default_executor_t<X>{}, x, y, f, op, o);
}
template <elements X, elements Y, class F>
[[nodiscard]] auto transform_reduce(
    X const& x, Y const& y, F const& f,
    options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  return detail::reduce_both(detail::default_executor_t<X>{}, x, y, f, plus{}, o);
}

/// Reduces all elements in input order: transform_reduce without a function. Results and errors are
/// those of transform_reduce.
template <elements In, executor E = detail::default_executor_t<In>, class Op = plus>
[[nodiscard]] auto reduce(E const& on, In const& in, Op const& op,
                          options<detail::accumulator_over<Op, In const>> const& o = {}) {
  return detail::reduce_range(on, in, detail::as_is{}, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>>
[[nodiscard]] auto reduce(E const& on, In const& in,
                          options<detail::accumulator_over<plus, In const>> const& o = {}) {
  return detail::reduce_range(on, in, detail::as_is{}, plus{}, o);
}
template <elements In, class Op = plus>
[[nodiscard]] auto reduce(In const& in, Op const& op,
                          options<detail::accumulator_over<Op, In const>> const& o = {}) {
  return detail::reduce_range(detail::default_executor_t<In>{}, in, detail::as_is{}, op, o);
}
template <elements In>
[[nodiscard]] auto reduce(In const& in,
                          options<detail::accumulator_over<plus, In const>> const& o = {}) {
  return detail::reduce_range(detail::default_executor_t<In>{}, in, detail::as_is{}, plus{}, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <elements In, executor E = detail::default_executor_t<In>, detail::not_elements F>
[[nodiscard]] auto transform_reduce(
    E const& on, In const& in, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  return detail::reduce_range(on, in, f, op, o);
}
template <elements In, detail::not_elements F>
[[nodiscard]] auto transform_reduce(
    In const& in, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  return detail::reduce_range(detail::default_executor_t<In>{}, in, f, op, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y, class F>
[[nodiscard]] auto transform_reduce(
    E const& on, X const& x, Y const& y, F const& f, detail::function_after_both<X, Y, F>& op,
    options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  return detail::reduce_both(on, x, y, f, op, o);
}
template <elements X, elements Y, class F>
[[nodiscard]] auto transform_reduce(
    X const& x, Y const& y, F const& f, detail::function_after_both<X, Y, F>& op,
    options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  return detail::reduce_both(detail::default_executor_t<X>{}, x, y, f, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>>
[[nodiscard]] auto reduce(E const& on, In const& in, detail::function_over<In>& op,
                          options<std::ranges::range_value_t<In>> const& o = {}) {
  return detail::reduce_range(on, in, detail::as_is{}, op, o);
}
template <elements In>
[[nodiscard]] auto reduce(In const& in, detail::function_over<In>& op,
                          options<std::ranges::range_value_t<In>> const& o = {}) {
  return detail::reduce_range(detail::default_executor_t<In>{}, in, detail::as_is{}, op, o);
}

/// Chosen for a type that claims to be an executor but lacks a member.
template <detail::incomplete_executor E, class... Args>
auto transform_reduce(E const&, Args const&...) {
  return detail::no_result_on<E>();
}
template <detail::incomplete_executor E, class... Args>
auto reduce(E const&, Args const&...) {
  return detail::no_result_on<E>();
}

// Each on one line, which is what clang++ shows of it.
// clang-format off
template <class... Args>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<Args...> transform_reduce(Args const&...) = delete;
template <class... Args>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<Args...> reduce(Args const&...) = delete;
template <class... Args>
detail::after_the_range_come_the_function_then_the_operator_then_options_in_braces<Args...> transform_reduce(Args const&...) = delete;
template <class... Args>
detail::after_the_ranges_come_the_function_then_the_operator_then_options_in_braces<Args...> transform_reduce(Args const&...) = delete;
// clang-format on
template <class... Args>
detail::after_the_range_come_the_operator_then_options_in_braces<Args...> reduce(Args const&...) =
    delete;

}  // namespace upsweep
