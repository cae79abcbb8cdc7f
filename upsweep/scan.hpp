/// Inclusive and exclusive scans (prefix sums): the reduction of every prefix of the input.
#pragma once

#include <upsweep/call/results.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cstddef>
#include <span>
#include <type_traits>

namespace upsweep::detail {

/// All scans. `in` and `out` have n elements each, n >= 0. Throws precondition_error when the sizes
/// differ, when the two overlap without being the same memory, and for an exclusive scan without
/// `.initial` whose operator has no identity. Exceptions from `f` and `op` propagate and leave
/// `out` with unspecified contents.
template <scan_kind kind, executor E, elements In, class Out, class F, class Op>
void scan_range(char const* verb, E const& on, In const& in, Out& out, F const& f, Op const& op,
                options<accumulator_over<Op, In const, F>> const& o) {
  using A = accumulator_over<Op, In const, F>;
  if constexpr (scan_fits<In, Out, F, Op>()) {
    constexpr bool stores_integers = std::is_integral_v<std::ranges::range_value_t<Out>>;
    environment_if<!stores_integers || !is_over_integers<Op, In, F>()> const ieee;
    check_output<!has_own_memory<E>>(verb, in, out);
    std::size_t const n = std::ranges::size(in);
    if (n == 0) return;
    first_results<kind, Op, A> const begin(op, o);
    if (o.reverse)
      on.template scan<kind>(
          call{source_of<true>(in, n, f, op), n, op, o.mode, begin.initial, begin.first},
          sink_of<true>(out, n, op));
    else
      on.template scan<kind>(
          call{source_of<false>(in, n, f, op), n, op, o.mode, begin.initial, begin.first},
          sink_of<false>(out, n, op));
  }
}

/// All scans of two ranges. `out` may be the memory of either or of both.
template <scan_kind kind, executor E, elements X, elements Y, class Out, class F, class Op>
void scan_both(char const* verb, E const& on, X const& x, Y const& y, Out& out, F const& f,
               Op const& op, options<accumulator_over_both<Op, X, Y, F>> const& o) {
  if constexpr (is_output<Out>() && zip_fits<X, Y, F>()) {
    auto const both = zip(verb, x, y, f);
    check_output<!has_own_memory<E>>(verb, x, out);
    check_output<!has_own_memory<E>>(verb, y, out);
    scan_range<kind>(verb, on, both, out, as_is{}, op, o);
  }
}

}  // namespace upsweep::detail

namespace upsweep {

/// Inclusive scan (prefix sum): out[i] = initial op x[0] op ... op x[i]. `in` and `out` have n
/// elements each, n >= 0, and may be the same memory. Throws precondition_error if the sizes
/// differ, or if the ranges overlap in another way. Exceptions of `op` propagate; the contents of
/// `out` are then unspecified.
///
/// Prefix sums of non-negative floats may decrease by a rounding error, because neighboring
/// prefixes are added in different orders. For sums that you search, use cumulative_distribution.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          class Op = plus>
void inclusive_scan(E const& on, In const& in, Out&& out, Op const& op,
                    options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("inclusive_scan", on, in, out, detail::as_is{}, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void inclusive_scan(E const& on, In const& in, Out&& out,
                    options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("inclusive_scan", on, in, out, detail::as_is{}, plus{},
                                           o);
}
template <elements In, detail::output_like Out, class Op = plus>
void inclusive_scan(In const& in, Out&& out, Op const& op,
                    options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("inclusive_scan", detail::default_executor_t<In>{}, in,
                                           out, detail::as_is{}, op, o);
}
template <elements In, detail::output_like Out>
void inclusive_scan(In const& in, Out&& out,
                    options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("inclusive_scan", detail::default_executor_t<In>{}, in,
                                           out, detail::as_is{}, plus{}, o);
}

/// Exclusive scan: out[i] = initial op x[0] op ... op x[i - 1], and out[0] = initial or the
/// identity. Sizes, memory and errors are those of inclusive_scan. Also throws precondition_error
/// if there is neither `.initial` nor an identity.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          class Op = plus>
void exclusive_scan(E const& on, In const& in, Out&& out, Op const& op,
                    options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("exclusive_scan", on, in, out, detail::as_is{}, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void exclusive_scan(E const& on, In const& in, Out&& out,
                    options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("exclusive_scan", on, in, out, detail::as_is{}, plus{},
                                           o);
}
template <elements In, detail::output_like Out, class Op = plus>
void exclusive_scan(In const& in, Out&& out, Op const& op,
                    options<detail::accumulator_over<Op, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("exclusive_scan", detail::default_executor_t<In>{}, in,
                                           out, detail::as_is{}, op, o);
}
template <elements In, detail::output_like Out>
void exclusive_scan(In const& in, Out&& out,
                    options<detail::accumulator_over<plus, In const>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("exclusive_scan", detail::default_executor_t<In>{}, in,
                                           out, detail::as_is{}, plus{}, o);
}

/// The same by an overloaded function, such as std::max<T>, whose type cannot be deduced.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void inclusive_scan(E const& on, In const& in, Out&& out, detail::function_over<In>& op,
                    options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("inclusive_scan", on, in, out, detail::as_is{}, op, o);
}
template <elements In, detail::output_like Out>
void inclusive_scan(In const& in, Out&& out, detail::function_over<In>& op,
                    options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("inclusive_scan", detail::default_executor_t<In>{}, in,
                                           out, detail::as_is{}, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out>
void exclusive_scan(E const& on, In const& in, Out&& out, detail::function_over<In>& op,
                    options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("exclusive_scan", on, in, out, detail::as_is{}, op, o);
}
template <elements In, detail::output_like Out>
void exclusive_scan(In const& in, Out&& out, detail::function_over<In>& op,
                    options<std::ranges::range_value_t<In>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("exclusive_scan", detail::default_executor_t<In>{}, in,
                                           out, detail::as_is{}, op, o);
}

/// The scans of f(x[0]), f(x[1]), ...; `f` may be a pointer to a member.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output F, class Op = plus>
void transform_inclusive_scan(E const& on, In const& in, Out&& out, F const& f, Op const& op,
                              options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("transform_inclusive_scan", on, in, out, f, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output F>
void transform_inclusive_scan(E const& on, In const& in, Out&& out, F const& f,
                              options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("transform_inclusive_scan", on, in, out, f, plus{}, o);
}
template <elements In, detail::output_like Out, detail::not_output F, class Op = plus>
void transform_inclusive_scan(In const& in, Out&& out, F const& f, Op const& op,
                              options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("transform_inclusive_scan",
                                           detail::default_executor_t<In>{}, in, out, f, op, o);
}
template <elements In, detail::output_like Out, detail::not_output F>
void transform_inclusive_scan(In const& in, Out&& out, F const& f,
                              options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("transform_inclusive_scan",
                                           detail::default_executor_t<In>{}, in, out, f, plus{}, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output F, class Op = plus>
void transform_exclusive_scan(E const& on, In const& in, Out&& out, F const& f, Op const& op,
                              options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("transform_exclusive_scan", on, in, out, f, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output F>
void transform_exclusive_scan(E const& on, In const& in, Out&& out, F const& f,
                              options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("transform_exclusive_scan", on, in, out, f, plus{}, o);
}
template <elements In, detail::output_like Out, detail::not_output F, class Op = plus>
void transform_exclusive_scan(In const& in, Out&& out, F const& f, Op const& op,
                              options<detail::accumulator_over<Op, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("transform_exclusive_scan",
                                           detail::default_executor_t<In>{}, in, out, f, op, o);
}
template <elements In, detail::output_like Out, detail::not_output F>
void transform_exclusive_scan(In const& in, Out&& out, F const& f,
                              options<detail::accumulator_over<plus, In const, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("transform_exclusive_scan",
                                           detail::default_executor_t<In>{}, in, out, f, plus{}, o);
}

/// The scans of f(x[0], y[0]), f(x[1], y[1]), ... `x`, `y` and `out` have n elements each; `out`
/// may be the memory of `x` or `y`. Throws precondition_error when the sizes differ or `out`
/// overlaps an input otherwise.
template <elements X, executor E = detail::default_executor_t<X>, elements Y,
          detail::output_like Out, class F, class Op = plus>
void transform_inclusive_scan(E const& on, X const& x, Y const& y, Out&& out, F const& f,
                              Op const& op,
                              options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::inclusive>("transform_inclusive_scan", on, x, y, out, f, op, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y,
          detail::output_like Out, class F>
void transform_inclusive_scan(E const& on, X const& x, Y const& y, Out&& out, F const& f,
                              options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::inclusive>("transform_inclusive_scan", on, x, y, out, f, plus{}, o);
}
template <elements X, elements Y, detail::output_like Out, class F, class Op = plus>
void transform_inclusive_scan(X const& x, Y const& y, Out&& out, F const& f, Op const& op,
                              options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::inclusive>("transform_inclusive_scan",
                                          detail::default_executor_t<X>{}, x, y, out, f, op, o);
}
template <elements X, elements Y, detail::output_like Out, class F>
void transform_inclusive_scan(X const& x, Y const& y, Out&& out, F const& f,
                              options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::inclusive>("transform_inclusive_scan",
                                          detail::default_executor_t<X>{}, x, y, out, f, plus{}, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y,
          detail::output_like Out, class F, class Op = plus>
void transform_exclusive_scan(E const& on, X const& x, Y const& y, Out&& out, F const& f,
                              Op const& op,
                              options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::exclusive>("transform_exclusive_scan", on, x, y, out, f, op, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y,
          detail::output_like Out, class F>
void transform_exclusive_scan(E const& on, X const& x, Y const& y, Out&& out, F const& f,
                              options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::exclusive>("transform_exclusive_scan", on, x, y, out, f, plus{}, o);
}
template <elements X, elements Y, detail::output_like Out, class F, class Op = plus>
void transform_exclusive_scan(X const& x, Y const& y, Out&& out, F const& f, Op const& op,
                              options<detail::accumulator_over_both<Op, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::exclusive>("transform_exclusive_scan",
                                          detail::default_executor_t<X>{}, x, y, out, f, op, o);
}
template <elements X, elements Y, detail::output_like Out, class F>
void transform_exclusive_scan(X const& x, Y const& y, Out&& out, F const& f,
                              options<detail::accumulator_over_both<plus, X, Y, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::exclusive>("transform_exclusive_scan",
                                          detail::default_executor_t<X>{}, x, y, out, f, plus{}, o);
}

/// The transform scans by a function such as std::max<T>, whose type is not deduced.
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output F>
void transform_inclusive_scan(
    E const& on, In const& in, Out&& out, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("transform_inclusive_scan", on, in, out, f, op, o);
}
template <elements In, detail::output_like Out, detail::not_output F>
void transform_inclusive_scan(
    In const& in, Out&& out, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::inclusive>("transform_inclusive_scan",
                                           detail::default_executor_t<In>{}, in, out, f, op, o);
}
template <elements In, executor E = detail::default_executor_t<In>, detail::output_like Out,
          detail::not_output F>
void transform_exclusive_scan(
    E const& on, In const& in, Out&& out, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("transform_exclusive_scan", on, in, out, f, op, o);
}
template <elements In, detail::output_like Out, detail::not_output F>
void transform_exclusive_scan(
    In const& in, Out&& out, F const& f, detail::function_after<In, F>& op,
    options<detail::transformed_t<std::ranges::iterator_t<In const>, F>> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_range<scan_kind::exclusive>("transform_exclusive_scan",
                                           detail::default_executor_t<In>{}, in, out, f, op, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y,
          detail::output_like Out, class F>
void transform_inclusive_scan(E const& on, X const& x, Y const& y, Out&& out, F const& f,
                              detail::function_after_both<X, Y, F>& op,
                              options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::inclusive>("transform_inclusive_scan", on, x, y, out, f, op, o);
}
template <elements X, elements Y, detail::output_like Out, class F>
void transform_inclusive_scan(X const& x, Y const& y, Out&& out, F const& f,
                              detail::function_after_both<X, Y, F>& op,
                              options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::inclusive>("transform_inclusive_scan",
                                          detail::default_executor_t<X>{}, x, y, out, f, op, o);
}
template <elements X, executor E = detail::default_executor_t<X>, elements Y,
          detail::output_like Out, class F>
void transform_exclusive_scan(E const& on, X const& x, Y const& y, Out&& out, F const& f,
                              detail::function_after_both<X, Y, F>& op,
                              options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::exclusive>("transform_exclusive_scan", on, x, y, out, f, op, o);
}
template <elements X, elements Y, detail::output_like Out, class F>
void transform_exclusive_scan(X const& x, Y const& y, Out&& out, F const& f,
                              detail::function_after_both<X, Y, F>& op,
                              options<typename detail::zipped_value<X, Y, F>::type> const& o = {}) {
  detail::expect_kept<Out>();
  detail::scan_both<scan_kind::exclusive>("transform_exclusive_scan",
                                          detail::default_executor_t<X>{}, x, y, out, f, op, o);
}

/// Selected by a type that claims to be an executor but lacks a member.
template <detail::incomplete_executor E, class... Args>
void inclusive_scan(E const&, Args const&...) {
  detail::no_result_on<E>();
}
template <detail::incomplete_executor E, class... Args>
void exclusive_scan(E const&, Args const&...) {
  detail::no_result_on<E>();
}
template <detail::incomplete_executor E, class... Args>
void transform_inclusive_scan(E const&, Args const&...) {
  detail::no_result_on<E>();
}
template <detail::incomplete_executor E, class... Args>
void transform_exclusive_scan(E const&, Args const&...) {
  detail::no_result_on<E>();
}

// Each on one line, which is what clang++ shows of it.
// clang-format off
template <class... Args>
detail::random_access_ranges_in_and_out_must_come_first_or_after_an_executor<Args...> inclusive_scan(Args const&...) = delete;
template <class... Args>
detail::random_access_ranges_in_and_out_must_come_first_or_after_an_executor<Args...> exclusive_scan(Args const&...) = delete;
template <class... Args>
detail::random_access_ranges_in_and_out_must_come_first_or_after_an_executor<Args...> transform_inclusive_scan(Args const&...) = delete;
template <class... Args>
detail::random_access_ranges_in_and_out_must_come_first_or_after_an_executor<Args...> transform_exclusive_scan(Args const&...) = delete;
template <class... Args>
detail::after_the_ranges_come_the_operator_then_options_in_braces<Args...> inclusive_scan(Args const&...) = delete;
template <class... Args>
detail::after_the_ranges_come_the_operator_then_options_in_braces<Args...> exclusive_scan(Args const&...) = delete;
template <class... Args>
detail::after_the_ranges_come_the_function_then_the_operator_then_options_in_braces<Args...> transform_inclusive_scan(Args const&...) = delete;
template <class... Args>
detail::after_the_ranges_come_the_function_then_the_operator_then_options_in_braces<Args...> transform_exclusive_scan(Args const&...) = delete;
// clang-format on

}  // namespace upsweep
