/// reduce and transform_reduce: one value from all elements, combined in input order.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/float_environment.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/requirements.hpp>
#include <upsweep/zipped.hpp>

#include <span>

namespace upsweep {

/// A range that any executor on the host can read: a sized random-access range.
template <class R>
concept elements = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

namespace detail {

/// An iterator or pointer, such as std::back_inserter, where a range belongs.
template <class T>
concept iterator_for_range =
    std::input_or_output_iterator<std::remove_cvref_t<T>> && !std::ranges::range<T>;

/// What a caller may take for an output. is_output() refuses what is not one by a sentence, which
/// overloads for `elements` alone could not say.
template <class T>
concept output_like = std::ranges::range<T> || iterator_for_range<T>;

/// The function of a transform, told from its second input.
template <class F>
concept not_elements = !elements<F>;

/// The same where an output may follow.
template <class F>
concept not_output = !output_like<F>;

/// True for arguments that begin with `ranges` ranges or views, after an optional executor.
template <int ranges, class... Args>
inline constexpr bool begins_with_ranges = ranges == 0;
template <int ranges, class T, class... Rest>
inline constexpr bool begins_with_ranges<ranges, T, Rest...> = [] {
  if constexpr (ranges == 0)
    return true;
  else if constexpr (elements<T> || nd_view<T>)
    return begins_with_ranges<ranges - 1, Rest...>;
  else
    return claims_executor<T> && begins_with_ranges<ranges, Rest...>;
}();

/// The return types of deleted overloads, for calls that lack the input range or the output range.
/// The name is the compiler's message.
template <class... Args>
  requires(!begins_with_ranges<1, Args...>)
struct a_random_access_range_must_come_first_or_after_an_executor {};
template <class... Args>
  requires(!begins_with_ranges<2, Args...>)
struct random_access_ranges_in_and_out_must_come_first_or_after_an_executor {};

/// The same for calls whose ranges are right but whose next arguments are not, such as an initial
/// value outside of the options.
template <class... Args>
  requires begins_with_ranges<1, Args...>
struct after_the_range_come_the_operator_then_options_in_braces {};
template <class... Args>
  requires(begins_with_ranges<1, Args...> && !begins_with_ranges<2, Args...>)
struct after_the_range_come_the_function_then_the_operator_then_options_in_braces {};
template <class... Args>
  requires begins_with_ranges<2, Args...>
struct after_the_ranges_come_the_operator_then_options_in_braces {};
template <class... Args>
  requires begins_with_ranges<2, Args...>
struct after_the_ranges_come_the_function_then_the_operator_then_options_in_braces {};

/// The same for the other verbs, whose arguments docs/verbs.md lists: executor, inputs, outputs,
/// then operator, predicate or order, then options in braces.
template <class... Args>
struct ranges_come_first_see_verbs_md {};

/// The accumulator of `Op` over the elements of `R` after `F`.
template <class Op, class R, class F = as_is>
using accumulator_over = accumulator_t<Op, transformed_t<std::ranges::iterator_t<R>, F>>;

/// The same over two ranges.
template <class Op, class X, class Y, class F>
using accumulator_over_both = accumulator_t<Op, typename zipped_value<X, Y, F>::type>;

/// The result of an empty reduction.
template <class Op, class A>
[[nodiscard]] A nothing(Op const& op, options<A> const& o) {
  if (o.initial) return *o.initial;
  if constexpr (refuses_empty<Op>)
    fail(
        "reduce: the input is empty, so it has no smallest or largest element; test for that "
        "first, or give .initial");
  else if constexpr (monoid_over<Op, A>)
    return upsweep::identity_of<A>(op);
  else
    fail(
        "reduce: the input is empty and the operator has no identity; give .initial, or use "
        "upsweep::monoid(op, identity)");
}

/// finish() by value, whatever the operator's finish returns.
template <class Op, class A>
[[nodiscard]] auto finished(Op const& op, A total) {
  return std::remove_cvref_t<decltype(detail::finish(op, std::move(total)))>(
      detail::finish(op, std::move(total)));
}

/// What reduce() returns for the elements up to the carry `left`.
template <class Carry, class Op, class A>
[[nodiscard]] auto result_of(Carry const& left, Op const& op, options<A> const& o) {
  if (!left.prefix()) return detail::finished(op, detail::nothing(op, o));
  bool const appends = !continues<Op, A> && o.initial;
  return detail::finished(
      op, appends ? static_cast<A>(op(*o.initial, *left.prefix())) : *left.prefix());
}

/// For operators that do not accept every total, such as the checked ones. If `total` is not
/// accepted, finishes every prefix of the positions [begin, begin + c.n) in order, so that the
/// exception names the first that fails. `before` is the prefix in front of them, or null.
template <class Call, class A>
void expect_accepted(Call const& c, A const& total, std::size_t begin, A const* before) {
  if constexpr (requires { c.op.accepts(total); }) {
    if (c.op.accepts(total)) return;
    A prefix = before ? *before : identity_of<A>(c.op);
    for (std::size_t i = begin; i < begin + c.n; ++i) {
      prefix = c.op(prefix, c.in(i));
      (void)detail::finish(c.op, prefix);
    }
  }
}

/// The result of a call, from the executor.
template <class E, class Call>
[[nodiscard]] auto reduce_call(E const& on, Call const& c) {
  using A = typename Call::accumulator;
  auto conclude = [&](A total) {
    if constexpr (finds_refusals<E, Call>)
      on.expect_accepted(c, total, c.initial);
    else
      expect_accepted(c, total, 0, c.initial);
    return detail::finished(c.op, std::move(total));
  };
  if (auto const* const initial = initial_of_results<typename Call::operation>(c.initial))
    return conclude(c.op(*initial, on.reduce(c)));
  return conclude(on.reduce(c));
}

/// All reductions of a range.
template <executor E, elements In, class F, class Op>
[[nodiscard]] auto reduce_range(E const& on, In const& in, F const& f, Op const& op,
                                options<accumulator_over<Op, In const, F>> const& o) {
  using namespace std::ranges;
  if constexpr (operands_fit<Op, range_reference_t<In const>, range_value_t<In>, F>()) {
    float_environment const ieee;
    std::size_t const n = std::ranges::size(in);
    if (n == 0) return detail::finished(op, detail::nothing(op, o));
    auto const* const initial = o.initial ? std::addressof(*o.initial) : nullptr;
    if (o.reverse)
      return reduce_call(on, call{source_of<true>(in, n, f, op), n, op, o.mode, initial});
    return reduce_call(on, call{source_of<false>(in, n, f, op), n, op, o.mode, initial});
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

}  // namespace detail

/// finish(op, initial op f(x[0]) op f(x[1]) op ... ), in the association of the combine tree; see
/// docs/contracts.md. `f` may be a pointer to a member; the operator defaults to `plus`. `in` has n
/// elements, n >= 0; the result has the type that the operator finishes to (for `plus` over int32:
/// int64). Throws precondition_error for n = 0 without `.initial` when the operator has no
/// identity; exceptions from `f` or `op` propagate.
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

/// The same over f(x[0], y[0]), f(x[1], y[1]), ...: dot products, distances, weighted sums. `f`
/// comes before the operator. `x` and `y` have n elements each; throws precondition_error when
/// their sizes differ.
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

/// transform_reduce without a function.
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

/// Selected by a type that claims to be an executor but lacks a member.
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
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> transform_reduce(Args const&...) = delete;
template <class... Args>
detail::a_random_access_range_must_come_first_or_after_an_executor<Args...> reduce(Args const&...) = delete;
template <class... Args>
detail::after_the_range_come_the_function_then_the_operator_then_options_in_braces<Args...> transform_reduce(Args const&...) = delete;
template <class... Args>
detail::after_the_ranges_come_the_function_then_the_operator_then_options_in_braces<Args...> transform_reduce(Args const&...) = delete;
// clang-format on
template <class... Args>
detail::after_the_range_come_the_operator_then_options_in_braces<Args...> reduce(Args const&...) =
    delete;

}  // namespace upsweep
