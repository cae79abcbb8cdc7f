/// What the results of a call begin with and are stored in: its accumulator, the value of an empty
/// input, the checks of an output, and the result of a reduction from the executor.
#pragma once

#include <upsweep/call/requirements.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/core/view.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>  // brings the iterator and range concepts
#include <type_traits>
#include <utility>

namespace upsweep::detail {

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

}  // namespace upsweep::detail

namespace upsweep::detail {

/// The accumulator of `Op` over the elements of `R` after `F`.
template <class Op, class R, class F = as_is>
using accumulator_over = accumulator_t<Op, transformed_t<std::ranges::iterator_t<R>, F>>;

/// A function such as std::max<T>, which is several functions: this says which is meant. Braces are
/// no function.
template <class T>
using function_of = T const&(T const&, T const&);
/// The same of the elements of `R`, after `F`.
template <class R>
using function_over = function_of<std::ranges::range_value_t<R>>;
template <class R, class F>
using function_after = function_of<transformed_t<std::ranges::iterator_t<R const>, F>>;

template <class X, class Y, class F>
using function_after_both = function_of<typename zipped_value<X, Y, F>::type>;

/// The same over two ranges.
template <class Op, class X, class Y, class F>
using accumulator_over_both = accumulator_t<Op, typename zipped_value<X, Y, F>::type>;

/// True for the library's operators over integers in memory, whose results are integers: they
/// round nothing.
template <class Op, class In, class F>
constexpr bool is_over_integers() {
  using T = std::ranges::range_value_t<In>;
  if constexpr (std::ranges::contiguous_range<In const> && std::is_same_v<F, as_is> &&
                std::is_integral_v<T> && requires { Op::about.meaning; })
    return std::is_integral_v<accumulator_t<Op, T>> && std::is_integral_v<result_t<Op, T>>;
  else
    return false;
}
/// The floating-point environment of a call.
template <bool rounds>
using environment_if = std::conditional_t<rounds, float_environment, any_environment>;

/// The initial value of a call as an accumulator, if there is one.
template <class Op, class A>
class start_of {
 public:
  start_of(Op const& op, std::optional<A> const& initial)
      : place_(initial ? std::addressof(*initial) : nullptr) {
    if constexpr (has_start<Op, A>)
      if (place_) place_ = std::addressof(started_.emplace(op.start(*initial)));
  }
  start_of(start_of const&) = delete;
  start_of& operator=(start_of const&) = delete;
  [[nodiscard]] A const* get() const { return place_; }

 private:
  std::conditional_t<has_start<Op, A>, std::optional<A>, as_is> started_;
  A const* place_;
};

/// The result of a reduction of no elements: the initial value or the identity. Otherwise throws;
/// `input` says what is empty.
template <class Op, class A>
[[nodiscard]] A result_of_empty(Op const& op, options<A> const& o,
                                char const* input = "reduce: the input") {
  if (o.initial) return *o.initial;
  if constexpr (refuses_empty<Op> || !monoid_over<Op, A>)
    fail_empty(input, refuses_empty<Op>);
  else
    return upsweep::identity_of<A>(op);
}

/// finish() by value, whatever the operator's finish returns.
template <class Op, class A>
[[nodiscard]] auto finished(Op const& op, A total) {
  return std::remove_cvref_t<decltype(detail::finish(op, std::move(total)))>(
      detail::finish(op, std::move(total)));
}

/// The total of a carry that is not empty, in tree::pairwise: its blocks joined from the right.
template <class A, class Op>
[[nodiscard]] A pairwise_total(carry<A> const& left, Op const& op) {
  std::size_t blocks = left.position();  // bit k: a block of 2^k elements
  std::optional<A> total(left.total(std::countr_zero(blocks)));
  while ((blocks &= blocks - 1) != 0)
    total.emplace(op(left.total(std::countr_zero(blocks)), std::as_const(*total)));
  return *std::move(total);
}

/// What reduce() returns for the elements up to the carry `left`.
template <class Carry, class Op, class A>
[[nodiscard]] auto result_of(Carry const& left, Op const& op, options<A> const& o) {
  if constexpr (!is_exact<Op, A>) {
    if constexpr (!std::is_same_v<Carry, carry<A>>) {
      expect_prefix_tree(o);
    } else if (o.tree == tree::pairwise && left.position() > 0) {
      A total = pairwise_total(left, op);
      if (!o.initial) return detail::finished(op, std::move(total));
      return detail::finished(
          op, static_cast<A>(op(detail::start(op, *o.initial), std::as_const(total))));
    }
  }
  if (!left.prefix()) return detail::finished(op, result_of_empty(op, o));
  bool const appends = !continues<Op, A> && o.initial;
  return detail::finished(
      op,
      appends ? static_cast<A>(op(detail::start(op, *o.initial), *left.prefix())) : *left.prefix());
}

/// For operators that do not accept every total, such as the checked ones. If `total` is not
/// accepted, finishes every prefix of the positions [begin, begin + c.n) in order, so that the
/// exception names the first that fails. `before` is the prefix before them, or null.
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
    if constexpr (has_expect_accepted<E, Call>)
      on.expect_accepted(c, total, c.initial);
    else
      expect_accepted(c, total, 0, c.initial);
    return detail::finished(c.op, std::move(total));
  };
  if (auto const* const initial = initial_of_results<typename Call::operation>(c.initial))
    return conclude(c.op(*initial, on.reduce(c)));
  return conclude(on.reduce(c));
}

/// True for the library's operators over numbers in memory, which do not throw.
template <class Call>
concept combines_plain_numbers = requires(Call const& c) {
  Call::operation::about.meaning;
  requires Call::source::in_memory;
  { c.in.function() } -> std::same_as<as_is const&>;
  requires std::is_arithmetic_v<typename Call::source::element>;
  requires std::is_arithmetic_v<typename Call::accumulator>;
};

/// tree::pairwise of a call. Of plain numbers block by block, from the last one. That is no slower
/// than a carry, which throws for the first of several elements at fault, but which takes half as
/// long again to compile; and most programs have such a call.
template <class E, class Call>
[[gnu::noinline]] typename Call::accumulator reduce_pairwise(E const& on, Call const& c) {
  using A = typename Call::accumulator;
  if constexpr (combines_plain_numbers<Call>) {
    using Source = typename Call::source;
    auto const block = [&](std::size_t end, std::size_t size) {
      std::size_t const at = Source::reversed ? c.n - end : end - size;
      return on.reduce(call{part_of(c.in, at, size, c.in.function(), c.op), size, c.op, c.how});
    };
    std::size_t end = c.n, size = end & -end;
    A total = block(end, size);
    for (end -= size; end != 0; end -= size) {
      size = end & -end;
      total = c.op(block(end, size), total);
    }
    return total;
  } else {
    carry<A> left;
    on.reduce_chunk(c, left);
    return pairwise_total(left, c.op);
  }
}

/// The result of a call by the options, which have its initial value and mode as well.
template <class E, class Call>
[[nodiscard]] auto reduce_call(E const& on, Call const& c,
                               options<typename Call::accumulator> const& o) {
  using A = typename Call::accumulator;
  if constexpr (!is_exact<typename Call::operation, A>) {
    if constexpr (has_own_memory<E>) {
      expect_prefix_tree(o);
    } else if (o.tree == tree::pairwise) {
      A total = reduce_pairwise(on, c);
      if (!c.initial) return detail::finished(c.op, std::move(total));
      return detail::finished(c.op, static_cast<A>(c.op(*c.initial, std::as_const(total))));
    }
  }
  return reduce_call(on, c);
}

/// Throws unless `out` has the size of `in` and is either exactly its memory (in place) or does not
/// overlap it. Iterators that are not contiguous are only tested on the host: those of a device
/// cannot be dereferenced here.
template <bool on_host = true, class In, class Out>
void check_output([[maybe_unused]] char const* verb, In const& in, Out& out) {
  std::size_t const n = std::ranges::size(in);
  if (n != std::ranges::size(out)) fail_sizes(verb, n, std::ranges::size(out));
  if constexpr (std::ranges::contiguous_range<In const> && std::ranges::contiguous_range<Out>) {
    auto const in_first = reinterpret_cast<std::uintptr_t>(std::to_address(std::ranges::begin(in)));
    auto const out_first =
        reinterpret_cast<std::uintptr_t>(std::to_address(std::ranges::begin(out)));
    constexpr std::size_t in_size = sizeof(std::ranges::range_value_t<In const>),
                          out_size = sizeof(std::ranges::range_value_t<Out>);
    bool const in_place = in_first == out_first && in_size == out_size;
    bool const apart = in_first + n * in_size <= out_first || out_first + n * out_size <= in_first;
    if (!in_place && !apart) fail_overlap(verb);
  } else if constexpr (on_host && has_place<std::ranges::iterator_t<In const>> &&
                       has_place<std::ranges::iterator_t<Out>>) {
    if (n > 0 && overlaps(std::ranges::begin(in), std::ranges::begin(out), n)) fail_overlap(verb);
  }
}

/// True when `Op` combines the elements of `In` after `F` and its results can be stored in `Out`;
/// otherwise a static_assert says what is wrong.
template <class In, class Out, class F, class Op>
constexpr bool scan_fits() {
  using namespace std::ranges;
  using T = transformed_t<iterator_t<In const>, F>;
  if constexpr (!is_output<Out>())
    return false;
  else if constexpr (operands_fit<Op, range_reference_t<In const>, range_value_t<In>, F>())
    return results_fit<Op, T, range_value_t<Out>, range_reference_t<Out>>();
  return false;
}

/// What the results of a scan begin with. Throws precondition_error for an exclusive scan without
/// `.initial` whose operator has no identity.
template <scan_kind kind, class Op, class A>
struct first_results {
  start_of<Op, A> start;
  A const* initial;  ///< null if there is none
  std::optional<A> identity;
  A const* first;  ///< of an exclusive scan; null only for inclusive ones

  first_results(Op const& op, options<A> const& o)
      : start(op, o.initial), initial(start.get()), first(initial) {
    expect_prefix_tree(o);
    if constexpr (kind == scan_kind::exclusive && monoid_over<Op, A>)
      if (!first) first = std::addressof(identity.emplace(identity_of<A>(op)));
    if (kind == scan_kind::exclusive && !first)
      fail(
          "exclusive_scan: the operator has no identity for the first result; give .initial, or "
          "use upsweep::monoid(op, identity)");
  }
  first_results(first_results const&) = delete;
  first_results& operator=(first_results const&) = delete;
};

}  // namespace upsweep::detail
