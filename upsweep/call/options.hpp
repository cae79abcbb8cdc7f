/// The options of a call.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/errors.hpp>

#include <optional>
#include <type_traits>
#include <utility>

namespace upsweep {

/// How a reduction joins the aligned blocks into which its elements are split, the largest first
/// (docs/spec/pairwise.md). Exactly associative operators have one result with both.
enum class tree {
  prefix,   ///< from the left, as the prefixes of scans: (block op block) op block
  pairwise  ///< from the right: neighbors are paired level by level, an odd last one goes up
};

namespace detail {

/// T, or what a std::optional T holds.
template <class T>
struct unwrapped {
  using type = T;
};
template <class T>
struct unwrapped<std::optional<T>> {
  using type = T;
};
template <class T>
using unwrapped_t = typename unwrapped<T>::type;

/// The initial value of a call, if it has one: whatever converts to the operator's accumulator, or
/// to a std::optional of it, except floating-point numbers where accumulators are integers.
template <class A>
class initial_value : public std::optional<A> {
 public:
  constexpr initial_value() = default;
  template <class U = A>
    requires(!std::is_same_v<std::remove_cvref_t<U>, initial_value>)
  constexpr initial_value(U&& value)  // NOLINT: for `.initial = x`
      : std::optional<A>(converted(std::forward<U>(value))) {}

 private:
  template <class U>
  static constexpr std::optional<A> converted(U&& value) {
    constexpr bool converts = std::is_convertible_v<U, std::optional<A>>;
    constexpr bool truncates = is_float<unwrapped_t<std::remove_cvref_t<U>>> && is_integer<A>;
    static_assert(converts || std::is_same_v<A, not_callable>,
                  "upsweep: .initial does not convert to the operator's accumulator");
    static_assert(
        !truncates,
        "upsweep: .initial is a floating-point number, but the operator's accumulators are "
        "integers; give an integer, or an operator that combines floating-point numbers");
    if constexpr (converts && !truncates)
      return std::forward<U>(value);
    else
      return {};
  }
};

/// The type of an option that belongs to the executor: setting it here is an error that says so.
struct option_of_the_executor {
  constexpr option_of_the_executor() = default;
  template <class T>
  constexpr option_of_the_executor(T const&) {  // NOLINT: for `.threads = 2`
    static_assert(std::is_void_v<T>,
                  "upsweep: threads belong to the executor, which is the first argument, as in "
                  "reduce({.threads = 2}, x)");
  }
};

}  // namespace detail

namespace detail {

/// The types of names that options do not have: setting one is an error that says which they have.
struct name_of_initial {
  constexpr name_of_initial() = default;
  template <class T>
  constexpr name_of_initial(T const&) {  // NOLINT: for `.init = 3`
    static_assert(std::is_void_v<T>,
                  "upsweep: the option with the initial value is .initial, as in {.initial = 3}");
  }
};
struct name_of_axis {
  constexpr name_of_axis() = default;
  template <class T>
  constexpr name_of_axis(T const&) {  // NOLINT: for `.axes = 1`
    static_assert(std::is_void_v<T>,
                  "upsweep: the option with the number of the axis is .axis, as in {.axis = 0}");
  }
};
struct name_of_reverse {
  constexpr name_of_reverse() = default;
  template <class T>
  constexpr name_of_reverse(T const&) {  // NOLINT: for `.reversed = true`
    static_assert(
        std::is_void_v<T>,
        "upsweep: the option for a scan from the end is .reverse, as in {.reverse = true}");
  }
};

}  // namespace detail

/// The options of one call, given in braces: `{.initial = 10.0, .reverse = true}`. `A` is the
/// operator's accumulator type.
template <class A>
struct options {
  detail::initial_value<A> initial{};  ///< combined on the left of everything: initial op prefix
  bool reverse = false;  ///< scan from the last element to the first: "earlier" is nearer the end
  int axis = -1;         ///< of an n-dimensional view; negative counts from the last
  upsweep::mode mode = mode::reproducible;   ///< `fast` here or in the executor makes the call fast
  upsweep::tree tree = tree::prefix;         ///< of reductions; others refuse tree::pairwise
  detail::option_of_the_executor threads{};  ///< an option of the executor, not of a call
  [[no_unique_address]] detail::name_of_initial init{}, initial_value{}, intial{}, inital{},
      start{}, identity{};
  [[no_unique_address]] detail::name_of_axis axes{}, dim{}, dimension{};
  [[no_unique_address]] detail::name_of_reverse reversed{}, backward{}, backwards{};
};

namespace detail {

/// Throws if the options ask for a tree that a verb does not offer.
template <class A>
void expect_prefix_tree(options<A> const& o) {
  expects(o.tree == tree::prefix,
          ".tree: this verb has the tree of prefixes only; reduce, transform_reduce and "
          "reduce_stream on a CPU, and partial::result, also take tree::pairwise");
}

}  // namespace detail

}  // namespace upsweep
