/// reduce and transform_reduce: one value from all elements, combined in input order.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/float_environment.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/executor.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/requirements.hpp>

#include <span>

namespace upsweep {

/// A range that any executor on the host can read: random access, and it knows its size.
template <class R>
concept elements = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

/// True for arguments that begin with `ranges` ranges or views, behind an executor if there is one.
template <int ranges, class... Args>
inline constexpr bool begins_with_ranges = ranges == 0;
template <int ranges, class T, class... Rest>
inline constexpr bool begins_with_ranges<ranges, T, Rest...> = [] {
  if constexpr (ranges == 0)
    return true;
  else if constexpr (elements<T> || nd_view<T>)
    return begins_with_ranges<ranges - 1, Rest...>;
  else
    return executor<T> && begins_with_ranges<ranges, Rest...>;
}();

/// What deleted calls return, those without a range to read or without ranges to read and to write:
/// names for the compiler's message.
template <class... Args>
  requires(!begins_with_ranges<1, Args...>)
struct a_random_access_range_must_come_first_or_after_an_executor {};
template <class... Args>
  requires(!begins_with_ranges<2, Args...>)
struct random_access_ranges_in_and_out_must_come_first_or_after_an_executor {};

/// What deleted calls return whose ranges are in their place, but not what follows, such as an
/// initial value outside of the options.
template <class... Args>
  requires begins_with_ranges<1, Args...>
struct after_the_range_come_the_operator_then_options_in_braces {};
template <class... Args>
  requires begins_with_ranges<1, Args...>
struct after_the_range_come_the_function_then_the_operator_then_options_in_braces {};
template <class... Args>
  requires begins_with_ranges<2, Args...>
struct after_the_ranges_come_the_operator_then_options_in_braces {};
template <class... Args>
  requires begins_with_ranges<2, Args...>
struct after_the_ranges_come_the_function_then_the_operator_then_options_in_braces {};

/// The accumulator of `Op` over the elements of `R` after `F`.
template <class Op, class R, class F = as_is>
using accumulator_over = accumulator_t<Op, transformed_t<std::ranges::iterator_t<R>, F>>;

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
  return std::remove_cvref_t<decltype(upsweep::finish(op, std::move(total)))>(
      upsweep::finish(op, std::move(total)));
}

/// What reduce() returns for the elements that `left` holds.
template <class Carry, class Op, class A>
[[nodiscard]] auto result_of(Carry const& left, Op const& op, options<A> const& o) {
  if (!left.prefix()) return upsweep::finished(op, upsweep::nothing(op, o));
  return upsweep::finished(
      op, o.initial ? static_cast<A>(op(*o.initial, *left.prefix())) : *left.prefix());
}

/// For operators that refuse some totals, such as the checked ones: when `total` is refused,
/// finishes every prefix of the positions [begin, end) in order, so that the exception names the
/// first that is refused. `before` is the prefix in front of them, or null.
template <class Op, class A, class Source>
void expect_accepted(Op const& op, A const& total, Source const& in, std::size_t begin,
                     std::size_t end, A const* before) {
  if constexpr (requires { op.accepts(total); }) {
    if (op.accepts(total)) return;
    A prefix = before ? *before : identity_of<A>(op);
    for (std::size_t i = begin; i < end; ++i) {
      prefix = op(prefix, in(i));
      (void)upsweep::finish(op, prefix);
    }
  }
}

/// The same for all n elements, by the executor where the elements are not the host's to read.
template <class E, class Op, class A, class Source>
void expect_accepted_on(E const& on, Op const& op, A const& total, Source const& in, std::size_t n,
                        A const* before) {
  if constexpr (requires { on.expect_accepted(in, n, op, total, before); })
    on.expect_accepted(in, n, op, total, before);
  else
    expect_accepted(op, total, in, 0, n, before);
}

/// All reductions of a range, once the call is known to fit.
template <executor E, elements In, class F, class Op>
[[nodiscard]] auto reduce_range(E const& on, In const& in, F const& f, Op const& op,
                                options<accumulator_over<Op, In const, F>> const& o) {
  using A = accumulator_over<Op, In const, F>;
  float_environment const ieee;
  std::size_t const n = std::ranges::size(in);
  if (n == 0) return upsweep::finished(op, upsweep::nothing(op, o));
  auto run = [&](auto const& source) {
    auto conclude = [&](A total) {
      A const* const before = o.initial ? std::addressof(*o.initial) : nullptr;
      expect_accepted_on(on, op, total, source, n, before);
      return upsweep::finished(op, std::move(total));
    };
    if (o.initial) return conclude(op(*o.initial, on.reduce(source, n, op, o.mode)));
    return conclude(on.reduce(source, n, op, o.mode));
  };
  using It = decltype(std::ranges::begin(in));
  if (o.reverse) return run(source<It, F, Op, true>(std::ranges::begin(in), n, f, op));
  return run(source<It, F, Op, false>(std::ranges::begin(in), n, f, op));
}

/// finish(op, initial op f(x[0]) op f(x[1]) op ... ), in the association of the combine tree; see
/// docs/contracts.md. `f` may be a pointer to a member, and an operator that is left away is
/// `plus`. `in` has n elements, n >= 0 and unlimited; the result has the type that the operator
/// finishes to (for `plus` over int32: int64). Throws precondition_error for n = 0 without
/// `.initial` when the operator has no identity; exceptions from `f` or `op` pass through.
template <elements In, executor E = default_executor_t<In>, class F, class Op = plus>
[[nodiscard]] auto transform_reduce(E const& on, In const& in, F const& f, Op const& op,
                                    options<accumulator_over<Op, In const, F>> const& o = {}) {
  if constexpr (operands_fit<Op, std::ranges::range_reference_t<In const>,
                             std::ranges::range_value_t<In>, F>())
    return upsweep::reduce_range(on, in, f, op, o);
  else
    return no_result<std::ranges::range_value_t<In>>();
}
template <elements In, executor E = default_executor_t<In>, class F>
[[nodiscard]] auto transform_reduce(E const& on, In const& in, F const& f,
                                    options<accumulator_over<plus, In const, F>> const& o = {}) {
  return upsweep::transform_reduce(on, in, f, plus{}, o);
}
template <elements In, class F, class Op = plus>
[[nodiscard]] auto transform_reduce(In const& in, F const& f, Op const& op,
                                    options<accumulator_over<Op, In const, F>> const& o = {}) {
  return upsweep::transform_reduce(default_executor_t<In>{}, in, f, op, o);
}
template <elements In, class F>
[[nodiscard]] auto transform_reduce(In const& in, F const& f,
                                    options<accumulator_over<plus, In const, F>> const& o = {}) {
  return upsweep::transform_reduce(default_executor_t<In>{}, in, f, plus{}, o);
}

/// transform_reduce with the elements as they are.
template <elements In, executor E = default_executor_t<In>, class Op = plus>
[[nodiscard]] auto reduce(E const& on, In const& in, Op const& op,
                          options<accumulator_over<Op, In const>> const& o = {}) {
  return upsweep::transform_reduce(on, in, as_is{}, op, o);
}
template <elements In, executor E = default_executor_t<In>>
[[nodiscard]] auto reduce(E const& on, In const& in,
                          options<accumulator_over<plus, In const>> const& o = {}) {
  return upsweep::transform_reduce(on, in, as_is{}, plus{}, o);
}
template <elements In, class Op = plus>
[[nodiscard]] auto reduce(In const& in, Op const& op,
                          options<accumulator_over<Op, In const>> const& o = {}) {
  return upsweep::transform_reduce(default_executor_t<In>{}, in, as_is{}, op, o);
}
template <elements In>
[[nodiscard]] auto reduce(In const& in, options<accumulator_over<plus, In const>> const& o = {}) {
  return upsweep::transform_reduce(default_executor_t<In>{}, in, as_is{}, plus{}, o);
}

template <class... Args>
a_random_access_range_must_come_first_or_after_an_executor<Args...> transform_reduce(
    Args const&...) = delete;
template <class... Args>
a_random_access_range_must_come_first_or_after_an_executor<Args...> reduce(Args const&...) = delete;
template <class... Args>
after_the_range_come_the_function_then_the_operator_then_options_in_braces<Args...>
transform_reduce(Args const&...) = delete;
template <class... Args>
after_the_range_come_the_operator_then_options_in_braces<Args...> reduce(Args const&...) = delete;

}  // namespace upsweep
