/// What the arguments of a verb may be, and what the compiler says about others.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/view.hpp>

#include <span>  // brings the iterator and range concepts
#include <type_traits>

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

}  // namespace detail

}  // namespace upsweep
