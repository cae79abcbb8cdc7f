/// What the executor calls for each verb, and what of it the library has compiled; those of
/// segments are in segments/on_gpu.hpp.
#pragma once

#include <upsweep/call/selection.hpp>
#include <upsweep/core/lines.hpp>
#include <upsweep/cuda/compiled.hpp>
#include <upsweep/cuda/stream/device_carry.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/unique.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <vector>

namespace upsweep {

namespace detail {
template <class T>
struct rank_neighbors;
}

struct ascending;
struct descending;

namespace device {

// Reductions.

template <class Source, class Op>
typename Source::accumulator reduce_on(gpu const& on, Source const& in, std::size_t n,
                                       Op const& op);
template <class Source, class Op, class A>
A reduce_after_on(gpu const& on, Source const& in, std::size_t n, Op const& op, A const* before);
template <class Source, class Op, class R, class A>
void reduce_into_on(gpu const& on, Source const& in, std::size_t n, Op const& op, R* out,
                    A const* initial);
template <class Source, class Op, class A>
void expect_accepted_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                        A const& total, A const* before);

/// Whether the library has a precompiled reduction of these elements, in both directions.
template <class Source>
inline constexpr bool compiled_reduce =
    is_memory_source<Source> &&
    dynamic::is_compiled<dynamic::target::gpu, typename Source::operation,
                         typename Source::element>;

// Scans.

template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
             A const* initial, A const* first);

/// Whether it has the scan, which it has only into elements of the same type.
template <class Source, class Sink>
inline constexpr bool compiled_scan =
    compiled_reduce<Source> && std::contiguous_iterator<typename Sink::iterator> &&
    std::is_same_v<typename Source::element, typename Sink::element>;

// Chunks of a stream.

template <class Source, class Op, class A>
void reduce_chunk_on(gpu const& on, Source const& in, std::size_t n, Op const& op, carry<A>& left);
template <class Source, class Op, class A>
void reduce_chunk_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     device_carry<A>& left);
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_chunk_on(gpu const& on, Source const& in, Sink const& out, std::size_t n, Op const& op,
                   A const* initial, A const* first, device_carry<A>& left);

// Pieces of an array.

/// Calls put(k, total) for each of the maximal aligned blocks of the n elements from position
/// `begin` on, in their order. Waits for them.
template <class Source, class Op, class Put>
void block_totals_on(gpu const& on, Source const& in, std::size_t n, Op const& op,
                     std::size_t begin, Put const& put);

/// Scans the n elements after a carry in the host's memory.
template <scan_kind kind, class Source, class Sink, class Op, class A>
void scan_after_carry_on(gpu const& on, Source const& in, Sink const& out, std::size_t n,
                         Op const& op, A const* initial, A const* first, carry<A> const& left);

// Windows.

template <class Source, class Sink, class Op, class A>
void windows_on(gpu const& on, Source const& in, Sink const& out, std::size_t count,
                std::size_t width, Op const& op, A const* initial);

// Verbs by key.

template <class Marks, class Keys, class Call, class Sink>
std::size_t reduce_runs_on(gpu const& on, Marks const& marks, Keys const& keys_to, Call const& c,
                           Sink const& out, std::size_t room);
template <scan_kind kind, class Marks, class Keys, class Call, class Sink>
void scan_runs_on(gpu const& on, Marks const& marks, Keys const& keys, Call const& c,
                  Sink const& out);

// Selections.

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

// Sorts.

/// Complete in files that include upsweep/cuda/sort.cuh.
template <class T>
struct sort_kernels;

/// Whether the library has precompiled sorts of keys of type T by `Less`.
template <class T, class Less>
inline constexpr bool compiled_sort =
    is_one_of<T, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double> &&
    is_one_of<Less, ascending, descending>;
/// An integer of the same size instead of values of 4 and 8 bytes, with which keys are sorted by
/// precompiled sorts.
template <class V>
using compiled_value =
    std::conditional_t<sizeof(V) == 4 && alignof(V) == 4, std::uint32_t,
                       std::conditional_t<sizeof(V) == 8 && alignof(V) == 8, std::uint64_t, V>>;

template <class T, class Less>
void sort_on(gpu const& on, T* x, std::size_t n, Less const& less);
template <class K, class V, class Less>
void sort_by_key_on(gpu const& on, K* keys, V* values, std::size_t n, Less const& less);
template <class It, class Out, class Less>
void argsort_on(gpu const& on, It const& first, std::size_t n, Out const& to, Less const& less);
template <class It, class Out, class Less>
void top_on(gpu const& on, It const& first, std::size_t n, Out const& to, std::size_t count,
            Less const& less);
template <class It>
detail::rank_neighbors<std::iter_value_t<It>> rank_neighbors_on(gpu const& on, It const& first,
                                                                std::size_t n, std::size_t rank);

/// Requires kernels for sorts of keys of type T: in the library if `is_compiled`.
template <class T, bool is_compiled = false>
UPSWEEP_BOTH constexpr void check_sort_kernels() {
  constexpr bool has_kernels = requires { sizeof(sort_kernels<T>); };
  static_assert(is_compiled || has_kernels,
                "upsweep: this sort or weighted histogram on the GPU needs upsweep/cuda/sort.cuh, "
                "in a file that nvcc compiles; without it, sort, sort_by_key and argsort take only "
                "contiguous numbers of 4 or 8 bytes, the orders ascending and descending, values "
                "of 4 or 8 bytes, and positions of 4 or 8 bytes");
}

// Histograms.

template <class It, class Out, class Levels>
outside_counts histogram_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                            std::size_t size, Levels const& levels, histogram_options const& o);
template <class It, class Out>
void count_indices_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                      std::size_t size);
template <class It, class Weights, class Sink, class Op, class Levels>
outside_counts weighted_histogram_on(gpu const& on, It const& first, Weights const& weights,
                                     std::size_t n, Sink const& out, std::size_t size,
                                     Levels const& levels, Op const& op,
                                     histogram_options const& o);

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

// Rows that become longer or shorter.

/// The rows at `x`, one after the other, each of `in_bytes`, become rows of `out_bytes` in place.
struct row_change {
  void* x;
  std::size_t rows, in_bytes, out_bytes, element_bytes;
  void const* fill;  ///< the element that fills rows that become longer
};
void pad_on(gpu const& on, row_change const& change);

// Summed-area tables and all lines of an array.

/// Numbers that C++ can add.
template <class T>
inline constexpr bool is_plain_number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
template <class T, class R>
void summed_area_on(gpu const& on, detail::matrices<T const> const& in,
                    detail::matrices<R> const& table);
template <scan_kind kind, class T, class R, class Op, class A>
bool scan_lines_on(gpu const& on, detail::line_matrices<T const, R> const& lines, bool reverse,
                   Op const& op, A const* initial, A const* first);
template <class T, class R, class Op, class A>
bool reduce_lines_on(gpu const& on, detail::line_matrices<T const, R> const& lines, bool reverse,
                     Op const& op, A const* initial);

}  // namespace device

}  // namespace upsweep
