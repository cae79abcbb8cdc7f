/// Sums of the rows of a matrix by segments of rows, column by column, with the bits of reduce.hpp.
/// One read of each element, one store of each result · 2 launches
/// docs/design/0020-lines-on-a-gpu.md
///
/// Lanes have columns. A segment is divided from its beginning on into parts of 256 rows, a warp
/// adds each part, and a second kernel adds the parts of segments that have several. Warps share
/// the parts by where they begin: in each range of 256 rows at most one whole part does.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/cuda/segments/call.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

inline constexpr unsigned rows_at_once = 16, rows_of_part = 256;
inline constexpr unsigned row_sum_threads = 128, row_sum_warps = row_sum_threads / 32;

/// Rows of `columns` elements: row i is that of number order[i] in memory, or i without an order.
template <class E, class A>
struct matrix_rows {
  E const* first;
  std::int64_t const* order;
  std::size_t columns;

  __device__ std::size_t number(std::size_t i) const {
    return order == nullptr ? i : static_cast<std::size_t>(order[i]);
  }
  __device__ A operator()(std::size_t number, std::size_t column) const {
    return static_cast<A>(first[number * columns + column]);
  }
};
/// Products of gradients and x / scale, which the gradients of a norm's weights are sums of.
template <class E, class A>
struct normed_rows {
  E const *x, *gradient;
  A const* scale;  ///< of each row
  std::size_t columns;

  __device__ std::size_t number(std::size_t i) const { return i; }
  __device__ A operator()(std::size_t number, std::size_t column) const {
    std::size_t const at = number * columns + column;
    return upsweep::detail::product(static_cast<A>(gradient[at]),
                                    static_cast<A>(x[at]) / scale[number]);
  }
};

/// The totals of adjacent blocks of equal size as they are combined; of 2^k blocks, total[k].
template <class A, unsigned levels>
struct counted_blocks {
  A total[levels];

  /// Adds block `number`. By selects, as indices would keep the totals in memory.
  __device__ void push(std::size_t number, A x) {
    bool is_open = true;
#pragma unroll
    for (unsigned k = 0; k < levels; ++k) {
      bool const is_second = (number >> k & 1) != 0;
      A const both = total[k] + x;
      total[k] = select(is_open && !is_second, x, total[k]);
      x = select(is_open, both, x);
      is_open = is_open && is_second;
    }
  }
  /// Appends the sum of `count` blocks.
  __device__ void append_to(prefix_of<A, plus>& sum, std::size_t count) const {
#pragma unroll
    for (unsigned k = levels; k-- > 0;)
      if ((count >> k & 1) != 0) sum.append(total[k], plus{});
  }
};

/// Appends rows [first, first + count) of a column; `levels` are those of count / 16 and one more.
template <unsigned levels, class A, class Rows>
__device__ void append_rows(Rows const& rows, std::size_t first, std::size_t count,
                            std::size_t column, unsigned lane, prefix_of<A, plus>& sum) {
  constexpr unsigned n = rows_at_once;
  counted_blocks<A, levels> blocks;
  std::size_t const whole = count / n;
  auto const rest = static_cast<unsigned>(count % n);
  // Slot i gets the sum of the aligned block of rows that ends there.
  auto const add = [&](std::size_t from, unsigned size, A(&x)[n]) {
    unsigned const mine = lane % n;
    std::size_t const number = rows.number(from + (mine < size ? mine : size - 1));
#pragma unroll
    for (unsigned i = 0; i < n; ++i)
      x[i] = rows(simt::shuffle(whole_warp, number, static_cast<int>(i)), column);
#pragma unroll
    for (unsigned width = 1; width < n; width *= 2)
#pragma unroll
      for (unsigned i = 2 * width - 1; i < n; i += 2 * width) x[i] = x[i - width] + x[i];
  };
  for (std::size_t b = 0; b < whole; ++b) {
    A x[n];
    add(first + b * n, n, x);
    blocks.push(b, x[n - 1]);
  }
  blocks.append_to(sum, whole);
  if (rest == 0) return;
  A x[n];
  add(first + whole * n, rest, x);
#pragma unroll
  for (unsigned i = 0; i < n; ++i) {
    unsigned const m = i + 1, size = m & (~m + 1);
    if ((rest & size) != 0 && (rest & ~(size - 1)) == m) sum.append(x[i], plus{});
  }
}

/// `count` segments of `size` rows: segment k has rows [borders[k], borders[k + 1]), or all rows if
/// there are no borders.
template <class E, class A>
struct row_sums_call {
  std::int64_t const* borders;
  std::size_t count, size, columns;
  E* out;    ///< [count, columns]
  A* parts;  ///< [size / 256 + 1, columns]: of the whole part that begins in a range

  /// Wrong borders lead to wrong sums, but to no access outside.
  __device__ std::size_t border(std::size_t k) const {
    if (borders == nullptr) return k * size;
    auto const at = static_cast<std::size_t>(borders[k]);
    return at < size ? at : size;
  }
  /// What of a launch's work a warp has, of pieces of 32 columns.
  struct place {
    std::size_t work, column;
    bool has_column;
  };
  __device__ place of_warp() const {
    std::size_t const groups = (columns + 31) / 32,
                      number = std::size_t{blockIdx.x} * row_sum_warps + warp_in_block(),
                      column = number % groups * 32 + threadIdx.x % 32;
    bool const has = column < columns;
    return {number / groups, has ? column : columns - 1, has};
  }
  /// The first segment from k on that ends after row i, or `count`.
  __device__ std::size_t segment_after(std::size_t k, std::size_t i, unsigned lane) const {
    if (k < count && border(k + 1) > i) return k;
    std::size_t first[1] = {k}, last[1] = {count};
    find_first_without(first, last, lane,
                       [&](unsigned, std::size_t at) { return border(at + 1) <= i; });
    return first[0];
  }
};

/// A warp for each range of 256 rows and 32 columns: the parts that begin there.
template <class E, class A, class Rows>
__global__ void __launch_bounds__(row_sum_threads)
    sum_row_parts(row_sums_call<E, A> call, Rows rows) {
  constexpr unsigned levels = 5;
  wait_for_earlier_work();
  auto const mine = call.of_warp();
  unsigned const lane = threadIdx.x % 32;
  std::size_t const from = mine.work * rows_of_part, to = from + rows_of_part;
  if (from >= call.size) return;
  for (std::size_t k = call.segment_after(0, from, lane); k < call.count;) {
    std::size_t const begin = call.border(k), end = call.border(k + 1);
    if (begin >= to) return;
    std::size_t const before = begin < from ? from - begin : 0,
                      part = begin + (before + rows_of_part - 1) / rows_of_part * rows_of_part,
                      left = part < end ? end - part : 0,
                      count = left < rows_of_part ? left : rows_of_part;
    bool const is_whole = end <= begin + rows_of_part;
    if (part < to && count > 0 && (is_whole || count == rows_of_part)) {
      prefix_of<A, plus> sum(A{}, false);
      append_rows<levels>(rows, part, count, mine.column, lane, sum);
      if (mine.has_column) {
        if (is_whole)
          call.out[k * call.columns + mine.column] = static_cast<E>(sum.value());
        else
          call.parts[mine.work * call.columns + mine.column] = sum.value();
      }
    }
    if (end >= to) return;
    k = call.segment_after(k + 1, end, lane);
  }
}

/// A warp for each segment and 32 columns: sums of no row, and of several parts.
template <class E, class A, class Rows>
__global__ void __launch_bounds__(row_sum_threads)
    sum_parts_of_rows(row_sums_call<E, A> call, Rows rows) {
  wait_for_earlier_work();
  auto const mine = call.of_warp();
  unsigned const lane = threadIdx.x % 32;
  std::size_t const k = mine.work;
  if (k >= call.count) return;
  std::size_t const begin = call.border(k), end = call.border(k + 1),
                    size = begin < end ? end - begin : 0, parts = size / rows_of_part;
  if (size > 0 && size <= rows_of_part) return;
  prefix_of<A, plus> sum(A{}, false);
  A total{};
  if (size > 0) {
    matrix_rows<A, A> const totals{call.parts, nullptr, call.columns};
    append_rows<28>(totals, begin / rows_of_part, parts, mine.column, lane, sum);
    append_rows<5>(rows, begin + parts * rows_of_part, size % rows_of_part, mine.column, lane, sum);
    total = sum.value();
  }
  if (mine.has_column) call.out[k * call.columns + mine.column] = static_cast<E>(total);
}

}  // namespace upsweep::device
