/// The selections, histograms and verbs over segments that the library has compiled, so that a file
/// needs no nvcc for them.
#pragma once

#include <upsweep/bins.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/cuda/instances.hpp>
#include <upsweep/selection.hpp>
#include <upsweep/unique.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace upsweep::device {

/// The word as which a T is moved, and compared if it is an integer; void if there is none. So one
/// kernel serves all types of a size.
template <class T>
using moved_word = std::conditional_t<std::is_trivially_copyable_v<T> && alignof(T) == sizeof(T),
                                      detail::bits_of_size<sizeof(T)>, void>;
template <class T>
inline constexpr bool has_word = !std::is_void_v<moved_word<T>>;
template <class T>
inline constexpr bool is_flag = std::is_integral_v<T> && sizeof(T) == 1;
using counts_and_positions = dynamic::types<std::uint32_t, std::uint64_t>;

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

using histogram_elements = dynamic::types<std::uint8_t, std::int32_t, float, double>;
using index_elements = dynamic::types<std::int32_t, std::uint32_t, std::int64_t>;

/// Whether the library has the histogram of these elements.
template <class It, class Out, class Levels>
inline constexpr bool compiled_histogram = false;
template <class T, class U, class Levels>
inline constexpr bool compiled_histogram<T const*, U*, Levels> =
    dynamic::is_in<T, histogram_elements> && dynamic::is_in<U, counts_and_positions> &&
    dynamic::is_in<Levels, dynamic::types<detail::even_levels, std::vector<double>>>;

template <class It, class Out>
inline constexpr bool compiled_count_indices = false;
template <class T, class U>
inline constexpr bool compiled_count_indices<T const*, U*> =
    dynamic::is_in<T, index_elements> && dynamic::is_in<U, counts_and_positions>;

/// Offsets that are not negative, as which valid ones are read.
template <class Offsets>
inline constexpr bool compiled_offsets = false;
template <class T>
inline constexpr bool compiled_offsets<T const*> =
    std::is_integral_v<T> && dynamic::is_in<moved_word<T>, counts_and_positions>;
template <class T>
[[nodiscard]] auto unsigned_offsets(T const* offsets) {
  return reinterpret_cast<moved_word<T> const*>(offsets);
}

/// Whether the library has the sums of segments of these elements, as their type or accumulators.
template <class Call, class Offsets, class Sink>
inline constexpr bool compiled_reduce_segments =
    is_memory_source<typename Call::source> && std::is_same_v<typename Call::operation, plus> &&
    dynamic::is_in<typename Call::source::element, dynamic::four_widest> &&
    compiled_offsets<Offsets> && std::contiguous_iterator<typename Sink::iterator> &&
    dynamic::is_in<typename Sink::element,
                   dynamic::types<typename Call::source::element, typename Call::accumulator>>;
/// Whether it has their scans, which it has only into elements of the same type.
template <class Call, class Offsets, class Sink>
inline constexpr bool compiled_scan_segments =
    is_memory_source<typename Call::source> && std::is_same_v<typename Call::operation, plus> &&
    dynamic::is_in<typename Call::source::element, dynamic::four_widest> &&
    compiled_offsets<Offsets> && std::contiguous_iterator<typename Sink::iterator> &&
    std::is_same_v<typename Sink::element, typename Call::source::element>;

}  // namespace upsweep::device
