/// What a backend sees of select, partition, unique and runs: which output each element belongs to,
/// and the outputs.
///
/// Marks are anything for which marks(begin, end, to) sets to[i - begin] to the mark of element i,
/// for each i in [begin, end). It is called once for each element, by several threads in any order.
/// An output takes the elements, or the positions, of one mark; those whose mark no output takes
/// are dropped.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/call/executor.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/view.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>  // brings the iterator and range concepts
#include <type_traits>

namespace upsweep::detail {

using mark = std::uint8_t;

/// Numbers from x on, of which each is compared with the one before it; there is one before
/// x[0] if it `follows`.
template <class T>
struct numbers_from {
  T const* x;
  bool follows;
};
/// Marks may have a member numbers(begin) instead of calls: mark begin + i is 0 where x[i] != x[i -
/// 1] of those neighbors, and where there is no x[i - 1]; otherwise 1.
template <class Marks>
concept marks_neighbors = requires(Marks const& marks) { marks.numbers(std::size_t{}); };

/// Marks of numbers in memory, by their member `first`: calls are loops that compilers vectorize.
template <class Marks>
concept marks_numbers = requires(Marks const& marks) {
  requires std::contiguous_iterator<decltype(marks.first)>;
  requires std::is_arithmetic_v<std::iter_value_t<decltype(marks.first)>>;
};

/// How many elements each output takes.
template <std::size_t outputs>
struct selected_counts {
  std::size_t of[outputs] = {};
  void operator+=(selected_counts const& more) {
    for (std::size_t k = 0; k < outputs; ++k) of[k] += more.of[k];
  }
};

/// An output that takes elements of the input.
template <class In, class Out>
struct value_output {
  using element = std::iter_value_t<Out>;
  static constexpr bool is_packed =
      std::is_same_v<element, bool> && !std::is_lvalue_reference_v<std::iter_reference_t<Out>>;
  /// The elements are bytes in memory, for which the order of copies does not matter.
  static constexpr bool is_plain = std::contiguous_iterator<In> && std::contiguous_iterator<Out> &&
                                   std::is_same_v<std::iter_value_t<In>, element> &&
                                   std::is_trivially_copyable_v<element>;

  In in;
  Out out;
  std::size_t room;
  mark takes;     ///< elements with this mark
  bool in_place;  ///< the first element of `out` is that of `in`

  void put(std::size_t to, std::size_t from) const {
    out[static_cast<std::iter_difference_t<Out>>(to)] =
        static_cast<element>(in[static_cast<std::iter_difference_t<In>>(from)]);
  }
};

/// An output that takes the positions of elements.
template <class Out>
struct position_output {
  using element = std::iter_value_t<Out>;
  static constexpr bool is_packed = false, is_plain = std::contiguous_iterator<Out>;

  Out out;
  std::size_t room;
  mark takes;
  static constexpr bool in_place = false;

  void put(std::size_t to, std::size_t from) const {
    out[static_cast<std::iter_difference_t<Out>>(to)] = static_cast<element>(from);
  }
};

/// Marks in blocks of constant length, whose loops compilers vectorize: f(i) is the mark of element
/// i.
template <class F>
UPSWEEP_INLINED inline void mark_each(std::size_t begin, std::size_t end, mark* to, F const& f) {
  constexpr std::size_t block = 256;
  std::size_t i = begin;
  for (; end - i >= block; i += block, to += block) {
    mark here[block];
    // Where compilers do not vectorize, as of doubles on x86-64 without further flags.
    UPSWEEP_UNROLLED
    for (std::size_t j = 0; j < block; ++j) here[j] = f(i + j);
    std::memcpy(to, here, block);
  }
  for (; i < end; ++i) *to++ = f(i);
}

/// Element i of the range that begins at `first`.
template <class It>
decltype(auto) element_at(It const& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<It>>(i)];
}

template <class R>
auto output_iterator(R& range) {
  if constexpr (std::ranges::contiguous_range<R>)
    return std::to_address(std::ranges::begin(range));
  else
    return std::ranges::begin(range);
}

/// Whether the two ranges, which are not empty, begin at the same position.
template <class In, class Out>
bool begin_together(In const& in, Out& out) {
  auto const x = first_of(in);
  auto const y = output_iterator(out);
  if constexpr (has_place<decltype(x)> && has_place<decltype(y)>)
    return place_of(x, 0) == place_of(y, 0);
  else
    return false;
}

template <class In, class Out>
auto values_to(In const& in, Out& out, mark takes = 0) {
  std::size_t const room = std::ranges::size(out);
  bool const in_place = std::ranges::size(in) > 0 && room > 0 && begin_together(in, out);
  return value_output<first_of_t<In>, decltype(output_iterator(out))>{
      first_of(in), output_iterator(out), room, takes, in_place};
}
/// The same output for the elements from `begin` on, from position `to` on.
template <class In, class Out>
value_output<In, Out> moved_on(value_output<In, Out> const& output, std::size_t begin,
                               std::size_t to) {
  to = at_most(to, output.room);
  return {output.in + static_cast<std::iter_difference_t<In>>(begin),
          output.out + static_cast<std::iter_difference_t<Out>>(to), output.room - to, output.takes,
          false};
}
template <class Out>
auto positions_to(char const* verb, std::size_t n, Out& out) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "upsweep: positions are stored in an output of integers");
  if (n > 0 && n - 1 > static_cast<std::uintmax_t>(std::numeric_limits<T>::max()))
    fail_positions(verb, n, 8 * sizeof(T));
  return position_output<decltype(output_iterator(out))>{output_iterator(out),
                                                         std::ranges::size(out), 0};
}

/// Throws if the two ranges share memory, other than by beginning together if they may be one.
template <bool may_be_in_place, class In, class Out>
void expect_apart(char const* verb, In const& in, Out& out) {
  std::size_t const n = std::ranges::size(in), room = std::ranges::size(out);
  if (n == 0 || room == 0) return;
  auto x = first_of(in);
  auto y = output_iterator(out);
  if constexpr (has_place<decltype(x)> && has_place<decltype(y)>) {
    constexpr bool same_size =
        sizeof(std::iter_value_t<decltype(x)>) == sizeof(std::iter_value_t<decltype(y)>);
    bool const same_stride = n == 1 || room == 1 || place_of(x, 1) == place_of(y, 1);
    if (may_be_in_place && same_size && same_stride && begin_together(in, out)) return;
    bool meet = holds_place(x, n, place_of(y, 0)) || holds_place(y, room, place_of(x, 0));
    if constexpr (std::contiguous_iterator<decltype(x)> && std::contiguous_iterator<decltype(y)>)
      meet = place_of(x, 0) < place_of(y, room) && place_of(y, 0) < place_of(x, n);
    if (meet) fail_overlap(verb, may_be_in_place);
  }
}

/// Throws if one of the outputs shares memory with `in`.
template <class In, class... Outs>
void expect_outputs_apart(char const* verb, In const& in, Outs&... outs) {
  (expect_apart<false>(verb, in, outs), ...);
}

/// Throws if there are more elements than the output has room for, of which the first are stored.
inline void expect_room(char const* verb, char const* output, std::size_t room, std::size_t count) {
  if (count > room) fail_room(verb, output, room, count, true);
}
/// The same before anything is stored.
template <class Out>
void expect_room_in(char const* verb, char const* output, Out& out, std::size_t count) {
  std::size_t const room = std::ranges::size(out);
  if (count > room) fail_room(verb, output, room, count, false);
}

}  // namespace upsweep::detail

namespace upsweep::detail {

/// An output that only counts.
struct counting_output {
  using element = mark;
  static constexpr bool is_packed = false, is_plain = false, in_place = false;
  static constexpr std::size_t room = 0;
  mark takes;
  void put(std::size_t, std::size_t) const {}
};

/// Puts the elements in order. Each is read before anything after it is stored, so an output may
/// be the input's memory.
template <class Marks, class... Outputs>
selected_counts<sizeof...(Outputs)> select_in_order(Marks const& marks, std::size_t n,
                                                    Outputs const&... outputs) {
  constexpr std::size_t block = 256;
  selected_counts<sizeof...(Outputs)> counts;
  mark found[block];
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::size_t const size = at_most(block, n - begin);
    marks(begin, begin + size, found);
    for (std::size_t j = 0; j < size; ++j) {
      std::size_t k = 0;
      auto const offer = [&](auto const& output) {
        std::size_t& count = counts.of[k++];
        if (found[j] != output.takes) return;
        if (count < output.room) output.put(count, begin + j);
        ++count;
      };
      (..., offer(outputs));
    }
  }
  return counts;
}

/// Runs the call on `on`.
template <class E, class Marks, class... Outputs>
auto select_on(E const& on, Marks const& marks, std::size_t n, Outputs const&... outputs) {
  using counts = selected_counts<sizeof...(Outputs)>;
  constexpr bool has_member = has_select<E, counts, Marks, Outputs...>;
  static_assert(has_member || !has_own_memory<E>,
                "upsweep: select, partition, unique and runs run on the executors of the CPU "
                "and on upsweep::gpu");
  if constexpr (!requires { on.count_to; })  // a GPU may have to store the count 0
    if (n == 0) return counts{};
  if constexpr (has_member)
    return on.select(marks, n, outputs...);
  else
    return select_in_order(marks, n, outputs...);
}

}  // namespace upsweep::detail
