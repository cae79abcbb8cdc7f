/// What the executor calls for selections, and what of it the library has compiled.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/cuda/compiled.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

template <class Marks, class... Outputs>
auto select_on(gpu const& on, Marks const& marks, std::size_t n, Outputs const&... outputs)
    -> detail::selected_counts<sizeof...(Outputs)>;

template <class T>
inline constexpr bool is_flag = std::is_integral_v<T> && sizeof(T) == 1;

/// The types with which the library has a selection: `marks` and `output`, with the same members.
template <class Marks, class... Outputs>
struct compiled_selection {
  static constexpr bool exists = false;
};
/// By flags of a byte: elements of contiguous memory.
template <class Flag, class T>
  requires(is_flag<Flag> && has_word<T>)
struct compiled_selection<detail::marks_by_predicate<Flag const*, detail::as_is>,
                          detail::value_output<T const*, T*>> {
  static constexpr bool exists = true;
  using marks = detail::marks_by_predicate<std::uint8_t const*, detail::as_is>;
  using output = detail::value_output<moved_word<T> const*, moved_word<T>*>;
};
/// The positions of such flags.
template <class Flag, class T>
  requires(is_flag<Flag> && dynamic::is_in<T, counts_and_positions>)
struct compiled_selection<detail::marks_by_predicate<Flag const*, detail::as_is>,
                          detail::position_output<T*>> {
  static constexpr bool exists = true;
  using marks = detail::marks_by_predicate<std::uint8_t const*, detail::as_is>;
  using output = detail::position_output<T*>;
};
/// The first elements of runs of equal numbers.
template <class T>
  requires(dynamic::is_in<T, dynamic::wide_floats> || (std::is_integral_v<T> && has_word<T>))
struct compiled_selection<detail::marks_of_runs<T const*, same>,
                          detail::value_output<T const*, T*>> {
  static constexpr bool exists = true;
  using element = std::conditional_t<std::is_floating_point_v<T>, T, moved_word<T>>;
  using marks = detail::marks_of_runs<element const*, same>;
  using output = detail::value_output<element const*, element*>;
};

template <class To, class It, class F>
[[nodiscard]] To converted(detail::marks_by_predicate<It, F> const& marks) {
  return {reinterpret_cast<decltype(To::first)>(marks.first), marks.test};
}
template <class To, class It, class Same>
[[nodiscard]] To converted(detail::marks_of_runs<It, Same> const& marks) {
  return {reinterpret_cast<decltype(To::first)>(marks.first), marks.equal};
}
template <class To, class In, class Out>
[[nodiscard]] To converted(detail::value_output<In, Out> const& output) {
  return {reinterpret_cast<decltype(To::in)>(output.in),
          reinterpret_cast<decltype(To::out)>(output.out), output.room, output.takes,
          output.in_place};
}
template <class To, class Out>
[[nodiscard]] To converted(detail::position_output<Out> const& output) {
  return output;
}

}  // namespace upsweep::device
