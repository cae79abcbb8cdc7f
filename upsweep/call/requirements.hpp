/// What a call requires of its function, operator and output. Each fault is reported by one
/// static_assert, and nothing else of such a call is compiled, so that the sentence is not lost
/// among errors inside templates.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <span>  // brings the iterator and range concepts
#include <type_traits>
#include <utility>

namespace upsweep {

/// A range that any executor on the host can read: a sized random-access range that need not change
/// for that, as std::views::drop_while and std::views::filter do.
template <class R>
concept elements = std::ranges::random_access_range<R> && std::ranges::sized_range<R> &&
                   std::ranges::range<R const>;

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
struct a_random_access_range_readable_when_const_must_come_first_or_after_an_executor {};
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

/// The same for windowed.
template <class... Args>
  requires begins_with_ranges<2, Args...>
struct the_width_comes_between_the_range_and_the_output {};
/// The same for the other verbs, whose arguments docs/verbs.md lists: executor, inputs, outputs,
/// then operator, predicate or order, then options in braces.
template <class... Args>
struct ranges_come_first_see_verbs_md {};

template <class From, class To>
concept casts_to = requires(From&& x) { static_cast<To>(std::forward<From>(x)); };

/// What the source of a call passes to lift(): the range's `Reference` after `F`.
template <class Reference, class T, class F>
struct handed_to_lift {
  using type = std::invoke_result_t<F const&, Reference>;
};
template <class Reference, class T>
struct handed_to_lift<Reference, T, as_is> {
  using type = std::conditional_t<std::is_lvalue_reference_v<Reference>, Reference, T>;
};

/// The function of a transform can be called with an element of each range, `References`, and
/// returns a value.
template <class F, class... References>
constexpr bool function_fits() {
  constexpr bool fits = std::is_invocable_v<F const&, References...>;
  constexpr bool changes_itself = !fits && std::is_invocable_v<F&, References...>;
  constexpr bool changes_elements =
      !fits && !changes_itself &&
      std::is_invocable_v<F const&, std::remove_cvref_t<References>&...>;
  constexpr bool is_range = !fits && std::ranges::range<F const>;
  constexpr bool explained = fits || changes_itself || changes_elements || is_range;
  static_assert(!changes_itself,
                "upsweep: the function cannot be called when it is const; write `const` after the "
                "parameters of its operator(), or remove `mutable` from the lambda");
  static_assert(!changes_elements,
                "upsweep: the function must take an element by value or by reference to const, and "
                "a member function must be const; this one could change the input");
  static_assert(!is_range,
                "upsweep: the second input is not a random-access range that knows its size; give "
                "one, such as a std::vector or std::span");
  static_assert(explained || sizeof...(References) > 1,
                "upsweep: the function must be callable with one element of the input; it comes "
                "before the operator");
  static_assert(explained || sizeof...(References) == 1,
                "upsweep: the function must be callable with an element of each of the two inputs, "
                "f(x[i], y[i]); it comes before the operator");
  if constexpr (fits) {
    constexpr bool returns = !std::is_void_v<std::invoke_result_t<F const&, References...>>;
    static_assert(
        returns,
        "upsweep: the function returns nothing; it must return what the operator combines");
    return returns;
  }
  return false;
}

/// The operator that the user wrote, for messages about it: the callable inside a monoid.
template <class Op>
struct written_operator {
  using type = Op;
};
template <class F, class A, bool Commutative, bool Exact>
struct written_operator<monoid<F, A, Commutative, Exact>> {
  using type = F;
};

/// Whether `text` has `part` in it.
constexpr bool has_text(char const* text, char const* part) {
  for (; *text != 0; ++text) {
    char const *a = text, *b = part;
    while (*b != 0 && *a == *b) ++a, ++b;
    if (*b == 0) return true;
  }
  return false;
}
/// Subtraction and division of <functional>, by their names, as that header is not included.
template <class Op>
constexpr bool is_difference_of_std() {
  char const* const name = __PRETTY_FUNCTION__;
  for (char const* const space : {"= std::", "= std::__1::"})
    if (has_text(name, space))
      for (char const* const one : {"::minus<", "::divides<", "::modulus<"})
        if (has_text(name, one)) return true;
  return false;
}
template <class Op>
concept is_constant_over_truths =
    std::is_empty_v<Op> && requires { typename std::bool_constant<Op{}(true, false) || true>; };
/// Whether a constant operator groups Booleans in one way only, as comparisons do.
template <class Op>
constexpr bool compares_truths() {
  if constexpr (is_constant_over_truths<Op>) {
    for (int i = 0; i < 8; ++i) {
      bool const a = (i & 4) != 0, b = (i & 2) != 0, c = (i & 1) != 0;
      if (Op{}(static_cast<bool>(Op{}(a, b)), c) != Op{}(a, static_cast<bool>(Op{}(b, c))))
        return true;
    }
  }
  return false;
}
template <class Op, class T>
concept is_constant_over =
    std::is_empty_v<Op> && requires { typename std::bool_constant<Op{}(T{2}, T{1}) || true>; };
/// Whether a constant operator over numbers sees more of them than whether they are 0, as
/// comparisons for equality do: their Boolean results are then compared with numbers.
template <class Op, class T>
constexpr bool compares_numbers() {
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && is_constant_over<Op, T> &&
                is_constant_over_truths<Op>)
    return static_cast<bool>(Op{}(T{2}, T{1})) != static_cast<bool>(Op{}(true, true));
  else
    return false;
}
/// Whether `F`, which makes accumulators of type `A` of elements of type `T`, is known not to be
/// associative.
template <class F, class A, class T>
constexpr bool is_not_associative() {
  if constexpr (!std::is_class_v<F> || requires { F::about.meaning; })
    return false;
  else if constexpr (std::is_same_v<A, bool>)
    return compares_truths<F>() || compares_numbers<F, T>();
  else
    return std::is_empty_v<F> && is_difference_of_std<F>();
}

/// `Op` combines two accumulators of elements of type `T` into one. If not, the message depends on
/// what would compile instead: a non-const object, operands that are not const, or the elements but
/// not the result.
template <class Op, class T>
constexpr bool operator_combines() {
  using A = accumulator_t<Op, T>;
  if constexpr (!std::is_same_v<A, not_callable> && combines<Op, A>) {
    constexpr bool refused = is_not_associative<typename written_operator<Op>::type, A, T>();
    static_assert(
        !refused,
        "upsweep: the operator is not associative: differences, quotients and comparisons "
        "depend on how they are grouped; transform the elements first, or give an "
        "associative operator such as upsweep::plus, min or max");
    return !refused;
  } else {
    using F = typename written_operator<Op>::type;
    using X = std::conditional_t<std::is_same_v<A, not_callable>, T, A>;
    constexpr bool is_value = std::is_arithmetic_v<Op> || std::is_same_v<Op, T>;
    constexpr bool lacks_plus = std::is_same_v<Op, plus>;
    constexpr bool returns_other = takes_two<F const&, X const&> ||
                                   (!std::is_same_v<A, not_callable> && !names_accumulator<Op, T>);
    constexpr bool changes_itself = !returns_other && takes_two<F&, X const&>;
    constexpr bool changes_operands = !returns_other && !changes_itself && takes_two<F const&, X&>;
    static_assert(!is_value,
                  "upsweep: a value was given instead of the operator; an initial value is an "
                  "option after the operator: {.initial = value}");
    static_assert(!lacks_plus,
                  "upsweep: the elements have no operator + that returns their type; define it, or "
                  "give an operator");
    static_assert(!returns_other,
                  "upsweep: the operator must return what it combines, an accumulator; it returns "
                  "another type");
    static_assert(!changes_itself,
                  "upsweep: the operator cannot be called when it is const; write `const` after "
                  "the parameters of its operator(), or remove `mutable` from the lambda");
    static_assert(!changes_operands,
                  "upsweep: the operator must take its operands by value or by reference to const; "
                  "this one could change them");
    static_assert(is_value || lacks_plus || returns_other || changes_itself || changes_operands,
                  "upsweep: the operator must be callable as op(accumulator, accumulator) and "
                  "return an accumulator");
    return false;
  }
}

/// An element that is passed to lift() as `X` becomes an accumulator of `Op`, which can be copied.
template <class Op, class X>
constexpr bool elements_lift() {
  using T = std::remove_cvref_t<X>;
  using A = accumulator_t<Op, T>;
  constexpr bool copies = std::is_copy_constructible_v<A>;
  constexpr bool converts = casts_to<X, A>;
  static_assert(copies,
                "upsweep: the operator's accumulators cannot be copied, but a reduction or scan "
                "must copy them; combine values that can be copied, such as the results of a "
                "transform");
  if constexpr (!copies || has_lift<Op, X>) {
    return copies;
  } else {
    static_assert(converts,
                  "upsweep: the elements do not convert to the operator's accumulator; convert "
                  "them by a transform, or give the operator a lift()");
    if constexpr (converts) return keeps_values<T, A>();
    return false;
  }
}

/// All of these, for the elements of a range whose reference type is `Reference`.
template <class Op, class Reference, class T = std::remove_cvref_t<Reference>, class F = as_is>
constexpr bool operands_fit() {
  if constexpr (!function_fits<F, Reference>()) {
    return false;
  } else {
    using X = typename handed_to_lift<Reference, T, F>::type;
    if constexpr (!operator_combines<Op, std::remove_cvref_t<X>>())
      return false;
    else
      return elements_lift<Op, X>();
  }
}

/// `Out` is a range that takes results at any position.
template <class Out>
constexpr bool is_output() {
  constexpr bool is_range = std::ranges::range<Out>;
  constexpr bool fits = std::ranges::random_access_range<Out> && std::ranges::sized_range<Out>;
  static_assert(
      is_range,
      "upsweep: an output must be a range with room for the results, such as a resized std::vector "
      "or a std::span; this one is an iterator (std::back_inserter, begin() or a pointer)");
  static_assert(fits || !is_range,
                "upsweep: the output must be a random-access range that knows its size, such as a "
                "std::vector or std::span");
  return fits;
}

/// Numbers of type `From` keep their fractions in elements of type `To`.
template <class From, class To>
constexpr bool keeps_fractions() {
  constexpr bool truncates = is_float<From> && is_integer<To>;
  static_assert(!truncates,
                "upsweep: the results are floating-point numbers and would lose their fractions in "
                "an output of integers; give an output of floating-point numbers");
  return !truncates;
}

/// The results of `Op` over elements of type `T` can be stored as `R` through `Reference`, that of
/// the output.
template <class Op, class T, class R, class Reference>
constexpr bool results_fit() {
  using result = result_t<Op, T>;
  constexpr bool writable = std::is_assignable_v<Reference, R>;
  constexpr bool converts = casts_to<result, R>;
  static_assert(writable,
                "upsweep: the output range is const; give one whose elements can be assigned");
  static_assert(converts,
                "upsweep: the results do not convert to the elements of the output range");
  return writable && converts && keeps_fractions<result, R>();
}

/// `In` holds elements of type T as one array.
template <class T, class In>
constexpr bool is_chunk() {
  constexpr bool reads = std::is_convertible_v<In const&, std::span<T const>>;
  static_assert(
      reads,
      "upsweep: a chunk of a stream must be a contiguous range of exactly the stream's elements");
  return reads;
}
template <class T, class In>
constexpr std::span<T const> chunk_of(In const& in) {
  if constexpr (is_chunk<T, In>())
    return in;
  else
    return {};
}
/// A scan of such a chunk by `Op` can be stored in `Out`.
template <class T, class Op, class In, class Out>
constexpr bool chunk_fits() {
  constexpr bool writes = std::ranges::contiguous_range<Out> && std::ranges::sized_range<Out>;
  static_assert(writes,
                "upsweep: the output of a stream must be a contiguous range, such as a "
                "std::vector or std::span");
  if constexpr (is_chunk<T, In>() && writes && operands_fit<Op, T const&>())
    return results_fit<Op, T, std::ranges::range_value_t<Out>,
                       std::ranges::range_reference_t<Out>>();
  return false;
}

/// What braces without anything become where a stream's constructor takes several arguments.
struct nothing_given {
  nothing_given() = delete;
};
/// A stream's executor after another argument.
template <class First, class... Rest>
concept executor_comes_late = !claims_executor<First> && (claims_executor<Rest> || ...);
template <class First>
constexpr void refuse_late_executor() {
  static_assert(std::is_void_v<First>,
                "upsweep: a stream takes the executor first, then the operator, then options in "
                "braces");
}

/// Results in a container that ends with the call are lost.
template <class Out>
inline constexpr bool is_owning_temporary =
    !std::is_lvalue_reference_v<Out> && std::ranges::range<Out> &&
    !std::ranges::borrowed_range<Out> && requires(Out& out) { out.swap(out); };
template <class... Out>
constexpr void expect_kept() {
  constexpr bool ends_with_the_call = (is_owning_temporary<Out> || ...);
  static_assert(!ends_with_the_call,
                "upsweep: the output is a temporary container, whose results would be lost; give a "
                "variable, or a view such as a std::span");
}

/// The placeholder for the result of a call with a fault, so that no further error follows.
template <class T>
T no_result();

}  // namespace detail

}  // namespace upsweep
