/// Loops over numbers in memory that the library brings compiled for each instruction set: windows,
/// recurrences, marks and heads, bins, moments, short segments, keys, functions and products of
/// elements; and the search for bytes.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>
#include <upsweep/generic/histogram/bins.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::detail {

template <class W>
class keyed_blocks;  // generic/sort/sorting.hpp

}  // namespace upsweep::detail

namespace upsweep::host {

/// Stores the n elements of `from` in `to` in the order of the integers order(from[i]), on
/// `threads` threads. U is an unsigned integer of 1, 2, 4 or 8 bytes; `to` is `from`, or they have
/// nothing in common. If it throws for lack of memory, `to` is unchanged or, unless it is `from`,
/// unspecified.
template <class U>
UPSWEEP_API void sort_numbers(U const* from, std::size_t n, U* to, detail::key_map<U> order,
                              int threads);
/// detail::sort_keyed of n pairs of words of 1, 2, 4 or 8 bytes on `threads` threads.
template <class W>
UPSWEEP_API void sort_pairs(detail::keyed_blocks<W> const& x, std::size_t n, int threads);

/// Sorts the n integers at `first` in ascending order, in place, on the calling thread.
UPSWEEP_API void sort_keys(std::uint16_t* first, std::size_t n);
UPSWEEP_API void sort_keys(std::uint32_t* first, std::size_t n);
UPSWEEP_API void sort_keys(std::uint64_t* first, std::size_t n);

/// Stores map(from[i]) in to[i] for all i < n; `to` is `from`, or they have nothing in common.
/// Callers are compiled at -O2, where their own loops would not be vectorized.
UPSWEEP_API void map_keys(std::uint16_t const* from, std::size_t n, std::uint16_t* to,
                          detail::key_map<std::uint16_t> map);
UPSWEEP_API void map_keys(std::uint32_t const* from, std::size_t n, std::uint32_t* to,
                          detail::key_map<std::uint32_t> map);
UPSWEEP_API void map_keys(std::uint64_t const* from, std::size_t n, std::uint64_t* to,
                          detail::key_map<std::uint64_t> map);

/// detail::offsets_ascend of offsets in memory.
[[nodiscard]] UPSWEEP_API bool offsets_ascend(std::uint64_t const* offsets, std::size_t begin,
                                              std::size_t end);
[[nodiscard]] UPSWEEP_API bool offsets_ascend(std::uint32_t const* offsets, std::size_t begin,
                                              std::size_t end);
[[nodiscard]] UPSWEEP_API bool offsets_ascend(std::int32_t const* offsets, std::size_t begin,
                                              std::size_t end);

}  // namespace upsweep::host

namespace upsweep::host::simd {

/// to[k] = the sum of x[at[k]], ..., x[at[k + 1] - 1] in the combine tree's order, +0 of none, for
/// the first segments of k in [0, count); returns how many they are. It stops before a segment
/// of more than 256 elements, and at once where the CPU has no vectors of 32 bytes. T is float or
/// double.
template <class T>
[[nodiscard]] UPSWEEP_API std::size_t sum_segments(T const* x, std::uint32_t const* at,
                                                   std::size_t count, T* to);

/// A scan of the segments x[at[k]], ..., x[at[k + 1] - 1] for k in [0, count).
template <class T>
struct segment_scan {
  T const* x;
  std::uint32_t const* at;
  std::size_t count;
  T const* initial;  ///< combined on the left of every result; null: none
  T const* first;    ///< the result at each segment's first element; null: the scan is inclusive
};

/// out[i] = the scan of x[i]'s segment by sums in the combine tree's order, for the first segments;
/// returns how many they are. It stops before a segment of more than 256 elements, and at once
/// where the CPU has no vectors of 32 bytes. Touches no other elements; `out` may be `x`.
template <class T>
[[nodiscard]] UPSWEEP_API std::size_t scan_segments(segment_scan<T> const& s, T* out);

/// to = mean, m2, m3 and m4 of the n elements at x, n a power of two, with the bits of the operator
/// central_moments along the combine tree.
UPSWEEP_API void find_central_moments(double const* x, std::size_t n, double (&to)[4]);

/// to[j] = 0 for elements below the bins, b + 1 in bin b, bins + 1 above, bins + 2 for NaN. The
/// line is of elements of the same type: float, double, or integers of 32 bits.
template <class T>
UPSWEEP_API void find_even_bins(T const* x, std::size_t n, detail::even_line const& line,
                                std::uint32_t* to);

/// Whether compress() has a kernel for elements of this size.
constexpr bool compresses(std::size_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/// to[0], to[1], ... = the elements of x[0 .. n) whose mark is `wanted`, in order; returns how many
/// they are. compresses(bytes) holds. `to` has room for n elements and
/// compress_slack bytes more, which may be overwritten.
[[nodiscard]] UPSWEEP_API std::size_t compress(void const* x, std::size_t bytes,
                                               std::uint8_t const* marks, std::uint8_t wanted,
                                               std::size_t n, void* to);

inline constexpr std::size_t compress_slack = 64;

/// How many of n marks are `wanted`.
[[nodiscard]] UPSWEEP_API std::size_t count_marks(std::uint8_t const* marks, std::uint8_t wanted,
                                                  std::size_t n);

/// Bit i % 8 of bits[i / 8] says whether element i of n is taken; bits at n and beyond are 0.
/// compress_bits copies those of 1, 2, 4 or 8 bytes as compress() does, with the same slack;
/// positions_of_bits stores first + i for each, with room for n positions and the slack. Both
/// return how many they are.
[[nodiscard]] UPSWEEP_API std::size_t compress_bits(void const* x, std::size_t bytes,
                                                    std::uint8_t const* bits, std::size_t n,
                                                    void* to);
[[nodiscard]] UPSWEEP_API std::size_t positions_of_bits(std::uint8_t const* bits, std::size_t n,
                                                        std::uint32_t first, std::uint32_t* to);

/// Bit i % 8 of bits[i / 8] becomes whether x[i] != x[i - 1], for i in [0, n); bits at n and beyond
/// become 0. Unless `follows`, x[0] begins a run, and x[-1] is not read. `bits` has room for
/// (n + 7) / 8 bytes and heads_slack more, which may be overwritten. T is float, double, or an
/// unsigned integer. Floating-point numbers are compared by their values: -0 equals +0, and a NaN
/// begins a run.
template <class T>
UPSWEEP_API void find_heads(T const* x, std::size_t n, bool follows, std::uint8_t* bits);

inline constexpr std::size_t heads_slack = 8;

/// The largest order that has kernels, and the elements of a block: a power of two between these.
inline constexpr std::size_t most_recurrence_order = 4, least_recurrence_block = 64,
                             recurrence_block = 1024;

/// What a block of n elements needs of the recurrence, and what up() keeps for down().
template <class T>
struct recurrence_nodes {
  T const* power;  ///< power[(j * order + row) * order + column] is that of A^(2^j), all finite
  std::size_t n;
  T* node;       ///< order * n numbers at a multiple of 64 bytes
  T weight = 1;  ///< of each element
};

/// For one order.
template <class T>
struct recurrence_kernel {
  /// total[0 .. order) = the state after the n elements at x, times the weight.
  void (*up)(recurrence_nodes<T> const& block, T const* x, T* total);
  /// Results i < n of the block of the last up(), whose state before it is `before` and at the end
  /// `after`: the results after element i or, if exclusive, before it. If `before` is null,
  /// as at the beginning, +0 may replace the -0 after element 0, and exclusive result 0 is not
  /// defined.
  void (*down)(recurrence_nodes<T> const& block, bool exclusive, T const* before, T const* after,
               T* out);
};

/// The kernels of an order from 1 to 4; T is float or double.
template <class T>
[[nodiscard]] UPSWEEP_API recurrence_kernel<T> recurrence_kernel_of(std::size_t order);

/// The integer of the size of T.
template <class T>
using window_key = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

/// Windows: totals combined by sums and extrema. Integers are std::int32_t and std::int64_t.
struct UPSWEEP_API window_kernels {
  /// Values in the memory of a call; elements of which all calls but the last have a multiple.
  static constexpr std::size_t window_room(std::size_t width) {
    return width + 768 + 160 * static_cast<std::size_t>(std::bit_width(width));
  }
  static constexpr std::size_t window_step = 64;

  /// Stores the sums of the windows of `width` elements that end in x[0], ..., x[n - 1], of those
  /// that have all of their elements. x[0] is element `at` of elements that come in order; all
  /// calls but the last have a multiple of window_step of them. `memory` has window_room(width)
  /// values, 0 at first. `to` is other memory than x. Integers wrap.
  template <class T>
  static void add(T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory, T* to);
  /// The same of integers with the smaller instead of the sum, and with the larger.
  template <class T>
  static void smaller(T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory,
                      T* to);
  template <class T>
  static void larger(T const* x, std::size_t n, std::size_t at, std::size_t width, T* memory,
                     T* to);

  /// Integers that have the order of the numbers, -0 below 0, with that of `nan` for each NaN.
  template <class T>
  static void order(T const* x, std::size_t n, window_key<T>* to, T nan);
  /// The numbers that have these integers.
  template <class T>
  static void numbers(window_key<T> const* keys, std::size_t n, T* to);
};

/// With the bits of core/portable_math.hpp and core/quick_functions.hpp.
enum class element_function { exp, log, softplus, logistic };

/// out[i] = function(x[i]) for i < n; those of float are computed in double and rounded once. out
/// may be x.
UPSWEEP_API void map_elements(element_function function, float const* x, float* out, std::size_t n);
UPSWEEP_API void map_elements(element_function function, double const* x, double* out,
                              std::size_t n);

/// product[i] + error[i] = x[i] * y[i], exactly, for i < n. False if a product is not finite, or
/// too small or too large for it; then what is stored is unspecified. `has_errors` is whether an
/// error is not 0.
[[nodiscard]] bool multiply_exactly(double const* x, double const* y, std::size_t n,
                                    double* product, double* error, bool& has_errors);

/// Elements whose mask, of 0 or 1, is 0 become `other`. Returns the number of the others.
std::size_t keep(double* x, std::uint8_t const* mask, std::size_t n, double other);

/// to[0], to[1], ... = the positions of those of text[0 .. n) that are one of the three bytes, in
/// order; returns how many they are. n < 2^32. `to` has room for n positions and
/// positions_slack more, which may be overwritten.
[[nodiscard]] UPSWEEP_API std::size_t find_bytes(char const* text, std::size_t n, char a, char b,
                                                 char c, std::uint32_t* to);

inline constexpr std::size_t positions_slack = 8;

/// For each 64 bytes of the text, three words: bit i of to[3 w + k] tells whether text[64 w + i] is
/// byte k of the three.
UPSWEEP_API void mask_bytes(char const* text, std::size_t words, char a, char b, char c,
                            std::uint64_t* to);

}  // namespace upsweep::host::simd
