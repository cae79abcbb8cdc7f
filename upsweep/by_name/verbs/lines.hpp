/// The lines of an array along an axis: their reductions and scans by name, and loops over lines
/// that need not be contiguous. Blocks of neighboring lines are copied to contiguous memory, which
/// reads whole cache lines.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/verbs/memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

namespace upsweep::dynamic {

/// The lines of an array of three dimensions along its last, or of four along its last two, in
/// which a line has several rows; line o * inner + i begins at [o, i, 0]. Strides are in elements.
struct axis_lines {
  std::byte* first;
  std::size_t bytes;  ///< of an element
  std::size_t outer, inner, size;
  std::ptrdiff_t stride_outer, stride_inner, stride;
  std::size_t rows = 1;  ///< of size / rows elements each
  std::ptrdiff_t stride_rows = 0;

  [[nodiscard]] std::size_t count() const { return outer * inner; }
  [[nodiscard]] bool contiguous() const { return rows == 1 && (stride == 1 || size <= 1); }
  [[nodiscard]] std::byte* line(std::size_t o, std::size_t i) const {
    return first + (static_cast<std::ptrdiff_t>(o) * stride_outer +
                    static_cast<std::ptrdiff_t>(i) * stride_inner) *
                       static_cast<std::ptrdiff_t>(bytes);
  }
};

/// The lines along one dimension of `size` elements of a contiguous array, in row-major order:
/// `outer` and `inner` are the products of the extents before and after it.
[[nodiscard]] inline axis_lines lines_of_array(void const* first, std::size_t bytes,
                                               std::size_t outer, std::size_t size,
                                               std::size_t inner) {
  auto const step = static_cast<std::ptrdiff_t>(inner);
  bool const is_empty = size == 0;  // and may have no memory
  return {static_cast<std::byte*>(const_cast<void*>(first)),
          bytes,
          outer,
          inner,
          size,
          step * static_cast<std::ptrdiff_t>(size),
          is_empty ? 0 : 1,
          step};
}

/// Stores the reduction of line i of `x` at to[i].
UPSWEEP_API void reduce_lines(call_entry const& e, axis_lines const& x, request const& how,
                              void* to);
/// Stores the scan of each line of `x` in the same line of `out`, which may be the same memory if
/// elements and results have one type.
UPSWEEP_API void scan_lines(verb v, call_entry const& e, axis_lines const& x, request const& how,
                            axis_lines const& out);
/// Whether reduce_lines reads such lines row by row, without copies.
[[nodiscard]] UPSWEEP_API bool reduces_columns(call_entry const& e, axis_lines const& x);
/// The types whose moments the library has compiled.
using moment_types = types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
/// means[i] = the mean of line i, and unless it is null squares[i] = the sum of squared distances
/// from it, as of the operator `moments`; or false if lines are not read row by row. `t` is one of
/// moment_types.
[[nodiscard]] UPSWEEP_API bool find_column_moments(cpu const& on, dtype t, axis_lines const& x,
                                                   double* means, double* squares);

/// The same lines with the same numbers, as neighbors if they are regular.
inline axis_lines beside(axis_lines x) {
  if (x.inner == 1) {
    std::swap(x.inner, x.outer);
    x.stride_inner = x.stride_outer;
  }
  return x;
}

/// Copies `count` lines from i on between the array and a block of contiguous lines, elements of so
/// many bytes each.
template <bool to_block, std::size_t bytes>
void copy_lines_of(axis_lines const& x, std::size_t o, std::size_t i, std::size_t count,
                   std::byte* block) {
  constexpr std::size_t together = 32;  // elements of a line, whose cache lines stay in L1
  std::ptrdiff_t const stride = x.stride * static_cast<std::ptrdiff_t>(bytes),
                       row = x.stride_rows * static_cast<std::ptrdiff_t>(bytes);
  std::size_t const size = x.rows > 0 ? x.size / x.rows : 0;
  auto const copy = [](std::byte* there, std::byte* here, std::size_t n) {
    to_block ? std::memcpy(there, here, n) : std::memcpy(here, there, n);
  };
  auto const copy_row = [&](std::byte* line, std::byte* there, std::size_t n) {
    if (stride == static_cast<std::ptrdiff_t>(bytes)) return void(copy(there, line, n * bytes));
    for (std::size_t k = 0; k < n; ++k)
      copy(there + k * bytes, line + static_cast<std::ptrdiff_t>(k) * stride, bytes);
  };
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t begin = 0; begin < size; begin += together)
      for (std::size_t l = 0; l < count; ++l)
        copy_row(x.line(o, i + l) + static_cast<std::ptrdiff_t>(r) * row +
                     static_cast<std::ptrdiff_t>(begin) * stride,
                 block + (l * x.size + r * size + begin) * bytes, std::min(together, size - begin));
}

template <bool to_block>
void copy_lines(axis_lines const& x, std::size_t o, std::size_t i, std::size_t count,
                std::byte* block) {
  if (x.bytes == 1) return copy_lines_of<to_block, 1>(x, o, i, count, block);
  if (x.bytes == 2) return copy_lines_of<to_block, 2>(x, o, i, count, block);
  if (x.bytes == 4) return copy_lines_of<to_block, 4>(x, o, i, count, block);
  if (x.bytes == 8) return copy_lines_of<to_block, 8>(x, o, i, count, block);
  copy_lines_of<to_block, 16>(x, o, i, count, block);
}

/// How many neighboring lines are copied together: those of 128 bytes, but no more than 64 MiB;
/// one whose rows are contiguous.
inline std::size_t block_of_lines(axis_lines const& x) {
  if (x.stride == 1) return 1;
  std::size_t const fit = (std::size_t{1} << 26) / std::max<std::size_t>(x.size * x.bytes, 1);
  return std::clamp<std::size_t>(fit, 1, std::max<std::size_t>(128 / x.bytes, 8));
}

/// Calls f(line number, contiguous elements, executor) for each line of `given`.
template <class F>
void for_each_line(cpu const& on, axis_lines const& given, F const& f) {
  axis_lines const x = beside(given);
  if (x.contiguous())
    return on.for_each_line(x.count(), x.size, [&](std::size_t line, cpu const& here) {
      f(line, x.line(line / x.inner, line % x.inner), here);
    });
  std::size_t const width = block_of_lines(x), blocks = (x.inner + width - 1) / width;
  on.for_each_line(x.outer * blocks, width * x.size, [&](std::size_t job, cpu const& here) {
    std::size_t const o = job / blocks, i = job % blocks * width;
    std::size_t const count = std::min(width, x.inner - i);
    std::unique_ptr<std::byte[]> const block(new std::byte[count * x.size * x.bytes]);
    copy_lines<true>(x, o, i, count, block.get());
    for (std::size_t l = 0; l < count; ++l)
      f(o * x.inner + i + l, block.get() + l * x.size * x.bytes, here);
  });
}

/// Calls f(elements, results, executor), both contiguous, for each line of `given` and the same
/// line of `given_out`, which has as many lines of the same size.
template <class F>
void for_each_line(cpu const& on, axis_lines const& given, axis_lines const& given_out,
                   F const& f) {
  axis_lines const x = beside(given), out = beside(given_out);
  if (x.contiguous() && out.contiguous())
    return on.for_each_line(x.count(), x.size, [&](std::size_t line, cpu const& here) {
      std::size_t const o = line / x.inner, i = line % x.inner;
      f(x.line(o, i), out.line(o, i), here);
    });
  std::size_t const width = std::max(block_of_lines(x), block_of_lines(out));
  std::size_t const blocks = (x.inner + width - 1) / width;
  on.for_each_line(x.outer * blocks, width * x.size, [&](std::size_t job, cpu const& here) {
    std::size_t const o = job / blocks, i = job % blocks * width;
    std::size_t const count = std::min(width, x.inner - i);
    std::size_t const bytes = x.size * x.bytes, out_bytes = x.size * out.bytes;
    std::unique_ptr<std::byte[]> const block(new std::byte[count * (bytes + out_bytes)]);
    std::byte* const results = block.get() + count * bytes;
    copy_lines<true>(x, o, i, count, block.get());
    for (std::size_t l = 0; l < count; ++l)
      f(block.get() + l * bytes, results + l * out_bytes, here);
    copy_lines<false>(out, o, i, count, results);
  });
}

}  // namespace upsweep::dynamic
