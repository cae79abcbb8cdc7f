/// What an operator is: the monoid protocol, and the traits through which the verbs see any
/// operator.
///
/// An operator must have `op(earlier, later)`. All other members are optional:
///
///   identity()                  the neutral value; needed for empty inputs and for exclusive scans
///   or identity<A>()            without `.initial`
///   accumulator<T>              the type in which elements of type T are combined; default: what
///                               op(T, T) returns
///   lift(x)                     element to accumulator; default: a conversion that does not narrow
///   or lift(x, index)
///   finish(a)                   accumulator to result; default: the accumulator itself
///   start(a)                    initial value of a call to accumulator; default: itself
///   static bool commutative     op(a, b) == op(b, a) in every bit (except NaN payloads); default:
///                               false
///   static bool exact           exactly associative: every grouping gives the same bits; default:
///   or exact<A>                 false
///   absorb(a, x)                a = op(a, lift(x, index)) in place, for exact operators with a
///   or absorb(a, x, index)      large accumulator
///   is_final(a)                 true when op(a, x) is `a` for every x; reductions of contiguous
///                               memory then need not read the rest
///   replaces(a)                 true when op(x, a) is `a` for every x; if that is so of the last
///                               element, reductions of contiguous memory read no other
///   accepts(a)                  false when finish(a) throws; a reduction then searches for the
///                               first prefix for which finish throws
///   static bool ignores_flags   no flag of compilers changes its results; default: false, so that
///                               core/unit_flags.hpp warns of flags that may
///   static bool refuses_empty   reducing an empty input without `.initial` is an error although
///                               there is an identity; default: false
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/number_types.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::catalog {

/// What values an operator takes: `maps` are pairs (a, b) that represent x -> a x + b, `pairs`
/// others, `matrices` four numbers.
enum class operand_kind { numbers, integers, maps, pairs, matrices, text };

/// An operator in words, and an example: the values, separated by spaces, and what `upsweep reduce`
/// prints for them.
struct description {
  operand_kind takes;
  char const* identity;
  char const* accumulator;
  bool ordered;  ///< results are numbers with an order, not row numbers, bit sets or matrices
  char const* meaning;
  char const* example;
  char const* result;
  char const* parameter = "";  ///< its name, in brackets when it is optional
};

}  // namespace upsweep::catalog

namespace upsweep {

namespace detail {

/// The placeholder for the result type of a function that cannot be called, until a static_assert
/// reports that in a sentence. A hard error here would also hit overloads that do not apply.
struct not_callable {};

/// op(x, x) compiles as the verbs write it, which excludes pointers to members.
template <class Op, class X>
concept takes_two = requires(Op op, X x) { op(x, x); };

template <class Op, class T>
concept names_accumulator =
    !std::is_same_v<T, not_callable> && requires { typename Op::template accumulator<T>; };
template <class Op, class T>
concept combines_elements = !std::is_same_v<T, not_callable> && !names_accumulator<Op, T> &&
                            takes_two<Op const&, T const&> &&
                            !std::is_void_v<std::invoke_result_t<Op const&, T const&, T const&>>;

template <class Op, class T>
struct accumulator_of {
  using type = not_callable;
};
template <class Op, class T>
  requires combines_elements<Op, T>
struct accumulator_of<Op, T> {
  using type = std::remove_cvref_t<std::invoke_result_t<Op const&, T const&, T const&>>;
};
template <class Op, class T>
  requires names_accumulator<Op, T>
struct accumulator_of<Op, T> {
  using type = typename Op::template accumulator<T>;
};

}  // namespace detail

/// The type in which `Op` combines elements of type `T`.
template <class Op, class T>
using accumulator_t = typename detail::accumulator_of<Op, T>::type;

namespace detail {

/// `op(earlier, later)` combines two accumulators into one.
template <class Op, class A>
concept combines = requires(Op const& op, A const& a) {
  { op(a, a) } -> std::convertible_to<A>;
};

template <class Op, class A>
concept has_typed_identity = requires(Op const& op) {
  { op.template identity<A>() } -> std::convertible_to<A>;
};
template <class Op, class A>
concept has_plain_identity = requires(Op const& op) {
  { op.identity() } -> std::convertible_to<A>;
};

}  // namespace detail

/// A monoid over accumulators of type `A`: an operator with an identity.
template <class Op, class A>
concept monoid_over = detail::combines<Op, A> &&
                      (detail::has_typed_identity<Op, A> || detail::has_plain_identity<Op, A>);

namespace detail {

/// Operators whose initial value is the prefix before the first element, to which blocks are
/// appended as to any prefix; that of other operators is combined with every result
/// (docs/contracts.md, 2). Recurrences: the results before the first element.
template <class Op, class A>
concept continues = requires(Op const& op, A const& a) { op.continues(a); };

/// The prefix before the first element, or null. `initial` may be null.
template <class Op, class A>
[[nodiscard]] UPSWEEP_BOTH constexpr A const* prefix_before(Op const& op, A const* initial) {
  if constexpr (continues<Op, A>)
    if (initial && op.continues(*initial)) return initial;
  return nullptr;
}
/// What is combined with every result, or null.
template <class Op, class A>
[[nodiscard]] UPSWEEP_BOTH constexpr A const* initial_of_results(A const* initial) {
  return continues<Op, A> ? nullptr : initial;
}

}  // namespace detail

/// The identity of `op` over accumulators of type `A`.
template <class A, class Op>
  requires monoid_over<Op, A>
[[nodiscard]] UPSWEEP_BOTH constexpr A identity_of(Op const& op) {
  if constexpr (detail::has_typed_identity<Op, A>)
    return op.template identity<A>();
  else
    return op.identity();
}

namespace detail {

/// The library's operators, and others that say so: what flags allow does not change their results.
template <class Op>
inline constexpr bool ignores_flags = [] {
  if constexpr (requires { Op::ignores_flags; })
    return static_cast<bool>(Op::ignores_flags);
  else
    return requires { Op::about; };
}();

}  // namespace detail

template <class Op>
inline constexpr bool is_commutative = [] {  ///< op(a, b) == op(b, a) in every bit
  if constexpr (requires { Op::commutative; })
    return Op::commutative;
  else
    return false;
}();

namespace detail {

/// True when reducing an empty input is an error although `Op` has an identity.
template <class Op>
inline constexpr bool refuses_empty = [] {
  if constexpr (requires { Op::refuses_empty; })
    return Op::refuses_empty;
  else
    return false;
}();

}  // namespace detail

/// True when every grouping of `Op` over accumulators of type `A` gives the same bits.
template <class Op, class A>
inline constexpr bool is_exact = [] {
  if constexpr (requires { bool{Op::exact}; })
    return Op::exact;
  else if constexpr (requires { bool{Op::template exact<A>}; })
    return Op::template exact<A>;
  else
    return false;
}();

namespace detail {

/// `Op` has a member that makes accumulators from elements.
template <class Op, class X>
concept has_lift = requires(Op const& op, X&& x) { op.lift(std::forward<X>(x), std::size_t{}); } ||
                   requires(Op const& op, X&& x) { op.lift(std::forward<X>(x)); };

/// Rejects, at compile time, accumulators to which the elements convert only by narrowing.
template <class Element, class Accumulator>
UPSWEEP_BOTH constexpr bool keeps_values() {
  static_assert(!narrows<Element, Accumulator>,
                "upsweep: the accumulators are too narrow for the elements, whose values would "
                "change; give the identity or the operator the elements' type, as in monoid(op, "
                "0.0) for double and 0L for long, or convert the elements by a transform");
  return !narrows<Element, Accumulator>;
}

/// Element number `index` of the input, `x`, as an accumulator.
template <class Op, class T>
[[nodiscard]] UPSWEEP_BOTH constexpr accumulator_t<Op, std::remove_cvref_t<T>> lift(
    Op const& op, T&& x, std::size_t index) {
  if constexpr (requires { op.lift(std::forward<T>(x), index); })
    return op.lift(std::forward<T>(x), index);
  else if constexpr (requires { op.lift(std::forward<T>(x)); })
    return op.lift(std::forward<T>(x));
  else {
    using A = accumulator_t<Op, std::remove_cvref_t<T>>;
    [[maybe_unused]] constexpr bool checked = keeps_values<std::remove_cvref_t<T>, A>();
    return static_cast<A>(std::forward<T>(x));
  }
}

/// The result that the caller receives for the accumulator `a`.
template <class Op, class A>
[[nodiscard]] UPSWEEP_BOTH constexpr decltype(auto) finish(Op const& op, A&& a) {
  if constexpr (requires { op.finish(std::forward<A>(a)); })
    return op.finish(std::forward<A>(a));
  else
    return std::forward<A>(a);
}

template <class Op, class A>
concept has_start = requires(Op const& op, A const& a) {
  { op.start(a) } -> std::convertible_to<A>;
};
/// The initial value of a call as an accumulator.
template <class Op, class A>
[[nodiscard]] UPSWEEP_BOTH constexpr decltype(auto) start(Op const& op, A const& initial) {
  if constexpr (has_start<Op, A>)
    return A(op.start(initial));
  else
    return (initial);
}

}  // namespace detail

/// The type that `reduce` returns for elements of type `T`.
template <class Op, class T>
using result_t = std::remove_cvref_t<decltype(detail::finish(
    std::declval<Op const&>(), std::declval<accumulator_t<Op, T>>()))>;

namespace detail {

/// `Op` can combine an element into an accumulator in place.
template <class Op, class A, class T>
concept has_absorb = requires(Op const& op, A& a, T const& x) { op.absorb(a, x, std::size_t{}); } ||
                     requires(Op const& op, A& a, T const& x) { op.absorb(a, x); };

/// `a = op(a, lift(x, index))`, also for accumulators that cannot be assigned.
template <class Op, class A, class T>
UPSWEEP_BOTH constexpr void absorb(Op const& op, A& a, T&& x, std::size_t index) {
  if constexpr (requires { op.absorb(a, std::forward<T>(x), index); })
    op.absorb(a, std::forward<T>(x), index);
  else if constexpr (requires { op.absorb(a, std::forward<T>(x)); })
    op.absorb(a, std::forward<T>(x));
  else if constexpr (std::is_move_assignable_v<A>)
    a = op(std::as_const(a), detail::lift(op, std::forward<T>(x), index));
  else
    renew(a, op(std::as_const(a), detail::lift(op, std::forward<T>(x), index)));
}

/// `Op` can tell accumulators that no later element changes: op(a, x) is `a` for every x.
template <class Op, class A>
concept has_is_final = requires(Op const& op, A const& a) {
  { op.is_final(a) } -> std::convertible_to<bool>;
};
/// `Op` can tell accumulators that no earlier element changes: op(x, a) is `a` for every x.
template <class Op, class A>
concept has_replaces = requires(Op const& op, A const& a) {
  { op.replaces(a) } -> std::convertible_to<bool>;
};

}  // namespace detail

/// A user-defined operator: a callable and its identity, as in `monoid([](long a, long b) { return
/// std::gcd(a, b); }, 0L)`. Elements are combined in the type of the identity, which must be able
/// to hold their values: for doubles, `monoid(f, 0)` does not compile but `monoid(f, 0.0)` does.
/// Commutativity and exactness are claims that `check_monoid` (ops/laws.hpp) tests.
template <class F, class A, bool Commutative = false, bool Exact = false>
struct monoid {
  static constexpr bool commutative = Commutative;
  static constexpr bool exact = Exact;
  template <class>
  using accumulator = A;

  F op;
  A neutral;

  UPSWEEP_BOTH constexpr monoid(F f, A identity) : op(std::move(f)), neutral(std::move(identity)) {}
  [[nodiscard]] UPSWEEP_BOTH constexpr A identity() const { return neutral; }
  [[nodiscard]] UPSWEEP_BOTH constexpr A operator()(A const& earlier, A const& later) const
    requires detail::combines<F, A>
  {
    return op(earlier, later);
  }
};

}  // namespace upsweep
