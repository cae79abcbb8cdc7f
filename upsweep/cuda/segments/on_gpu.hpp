/// What the executor calls for segments, and what of it the library has compiled.
#pragma once

#include <upsweep/core/lines.hpp>
#include <upsweep/cuda/compiled.hpp>
#include <upsweep/host/row_sums.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace upsweep::device {

template <class Call, class Offsets, class Sink>
void reduce_segments_on(gpu const& on, Call const& c, Offsets const& offsets, std::size_t count,
                        Sink const& out);
template <scan_kind kind, class Call, class Offsets, class Sink>
void scan_segments_on(gpu const& on, Call const& c, Offsets const& offsets, std::size_t count,
                      Sink const& out);

/// out[k] = the sum of line k, of `count` lines of `size` elements one after another: one launch
/// for any number of lines and any length.
void sum_lines_on(gpu const& on, float const* x, std::size_t count, std::size_t size, float* out);
void sum_lines_on(gpu const& on, double const* x, std::size_t count, std::size_t size, double* out);
/// The logarithms of the sums of exponentials of such lines, as core/log_of_sum.hpp computes them.
/// Elements are f16, bf16, f32 or f64; results of those of 16 bits are float. Lines of 16 bits have
/// at least one element, and are fast from 1024 on.
struct log_sum_lines {
  host::simd::lane_type type;
  void const* x;
  std::size_t count, size;
  void* out;
};
void log_sum_lines_on(gpu const& on, log_sum_lines const& call);

/// Lines one after another, scanned from their ends if `reverse`.
struct contiguous_lines {
  std::size_t count, size;
  bool reverse;
};
/// The inclusive scan of each line, likewise one launch. `initial` may be null; out may be x.
template <class Op, class T>
void scan_lines_as_segments_on(gpu const& on, T const* x, T* out, contiguous_lines const& lines,
                               T const* initial);
template <class Op, class T>
inline constexpr bool compiled_scan_lines =
    (dynamic::is_in<Op, dynamic::types<plus, multiplies>> &&
     dynamic::is_in<T, dynamic::wide_floats>) ||
    (dynamic::is_in<Op, dynamic::types<min, max>> && dynamic::is_in<T, dynamic::four_widest>);

/// Such scans of lines that are rows one after another in memory; false if they are not, or if
/// calls one after another are faster, as for the longest (H200).
template <class Op, class T>
bool scan_contiguous_lines_on(gpu const& on, detail::line_matrices<T const, T> const& lines,
                              bool reverse, T const* initial) {
  auto const& [fit, in, out, along_rows] = lines;
  auto const have_gaps = [](auto const& m) {
    return m.column_stride != 1 || m.row_stride != static_cast<std::ptrdiff_t>(m.columns);
  };
  if (!along_rows || in.planes > 1 || in.rows < 2 || have_gaps(in) || have_gaps(out)) return false;
  if (!reverse && in.columns > std::size_t{1} << 22) return false;
  scan_lines_as_segments_on<Op>(on, in.first, out.first, {in.rows, in.columns, reverse}, initial);
  return true;
}
/// Whether scan_lines_on is faster for contiguous lines of so many elements (H200, 2^26 floats:
/// sums of 256 to 4096 elements take 0.87 to 1.0 of the time of segments, others at least 1.02).
template <class Op>
[[nodiscard]] constexpr bool are_faster_as_rows(std::size_t size) {
  return std::is_same_v<Op, plus> && size >= 128 && size <= 4096;
}

/// The sums of rows by segments. Borders are not checked.
void sum_rows_on(gpu const& on, host::row_sums const& call);
/// out = the sums of gradient times x / scale over all rows: the gradient of rms_norm's weights.
/// Scales, of each row, are float for elements of 16 bits, otherwise double.
struct normed_sums {
  host::simd::lane_type type;
  void const *x, *gradient, *scale;
  std::size_t size, columns;
  void* out;
};
void sum_normed_rows_on(gpu const& on, normed_sums const& call);

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
