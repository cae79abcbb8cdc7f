/// A tile of a matrix in the registers of a block, and its scans along columns and along rows with
/// the bits of the combine tree.
///
/// Each warp has consecutive rows, each lane consecutive elements of all of them. Scans work in
/// place: on the way up, value i becomes the total of the largest aligned block that ends at i; on
/// the way down, its prefix is the one before that block followed by that total (Brent, Kung
/// 1982). So nothing is kept but the values, and each prefix is joined from the left, as the
/// combine tree says.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace upsweep::device {

/// A tile has `warps` * `rows` rows of 32 * `items` elements; `blocks` is the number of blocks per
/// multiprocessor.
template <unsigned warps_, unsigned rows_, unsigned items_, unsigned blocks_>
struct table_shape {
  static constexpr unsigned warps = warps_, rows = rows_, items = items_, blocks = blocks_;
  static constexpr unsigned threads = 32 * warps, height = warps * rows, width = 32 * items;
  static_assert(width <= threads && rows <= 32, "a thread looks back for at most one line");
};

/// Elements of matrices in device memory. `vectors`: rows are contiguous, and pieces of
/// vector_items<T>(items) elements are aligned.
template <class T>
struct matrix_memory {
  T* first;
  std::ptrdiff_t plane_stride, row_stride, column_stride;
  bool vectors;

  /// One of the matrices.
  __device__ matrix_memory plane(std::size_t p) const {
    return {first + static_cast<std::ptrdiff_t>(p) * plane_stride, 0, row_stride, column_stride,
            vectors};
  }
  __device__ T* at(std::size_t row, std::size_t column) const {
    return first + (static_cast<std::ptrdiff_t>(row) * row_stride +
                    static_cast<std::ptrdiff_t>(column) * column_stride);
  }
};

/// The extents of a matrix.
struct table_extents {
  std::size_t rows, columns;
};

/// How many of `most` rows or columns from `from` on a matrix with `size` of them has.
__device__ inline unsigned extent_left(std::size_t size, std::size_t from, unsigned most) {
  return from >= size ? 0 : size - from < most ? static_cast<unsigned>(size - from) : most;
}

/// Where this thread's part of a tile is: its first row and column, and how many of its rows and
/// columns the matrix has.
struct tile_part {
  std::size_t row, column;
  unsigned rows, columns;
};

template <class Shape, class A, class Op>
class table_tile {
  static constexpr unsigned rows = Shape::rows, items = Shape::items;
  using prefix = prefix_of<A, Op>;

 public:
  __device__ table_tile(unsigned lane, Op const& op) : lane_(lane), op_(op) {}

  /// The element of this thread in row r.
  __device__ A const& value(unsigned r, unsigned item) const { return x_[r][item]; }

  /// Loads the thread's elements of a matrix of the given extents, each by lift(x, r, c). Those
  /// outside are copies of others of the same warp, on which no result depends.
  template <class T, class Lift>
  __device__ void load(matrix_memory<T const> const& in, table_extents const& size,
                       tile_part const& at, Lift const& lift) {
    T held[rows][items] = {};
    if (has_vectors<T> && in.vectors && at.rows == rows && at.columns == items) {
      if constexpr (has_vectors<T>)
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) load_row(in.at(at.row + r, at.column), held[r]);
    } else {
      load_items(in, size, at, held);
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned c = 0; c < items; ++c) x_[r][c] = lift(held[r][c], r, c);
  }

  /// On the way up along columns: value(rows - 1, c) becomes the total of column c.
  __device__ void columns_up() {
#pragma unroll
    for (unsigned size = 2; size <= rows; size *= 2)
#pragma unroll
      for (unsigned r = size - 1; r < rows; r += size)
#pragma unroll
        for (unsigned c = 0; c < items; ++c) x_[r][c] = combined(x_[r - size / 2][c], x_[r][c]);
  }
  /// Every value of column c becomes its inclusive prefix, given those before and after them.
  __device__ void column_down(unsigned c, prefix const& before, prefix const& after) {
#pragma unroll
    for (unsigned m = 1; m < rows; ++m) {
      unsigned const left = m & (m - 1);
      append(left == 0 ? before : prefix(x_[left - 1][c], true), x_[m - 1][c]);
    }
    x_[rows - 1][c] = after.value();
  }

  /// On the way up along row r; returns in lane 31 its total.
  __device__ A row_up(unsigned r) {
#pragma unroll
    for (unsigned size = 2; size <= items; size *= 2)
#pragma unroll
      for (unsigned c = size - 1; c < items; c += size)
        x_[r][c] = combined(x_[r][c - size / 2], x_[r][c]);
    A& mine = x_[r][items - 1];
#pragma unroll
    for (unsigned half = 1; half < 32; half *= 2) {
      A const both = combined(simt::shuffle_up(whole_warp, mine, half), mine);
      mine = select((lane_ + 1) % (2 * half) == 0, both, mine);
    }
    return mine;
  }
  /// Every value of row r becomes its inclusive prefix, given those before and after them. Returns
  /// the exclusive prefix of this thread's first value.
  __device__ A row_down(unsigned r, prefix const& before, prefix const& after) {
    A& mine = x_[r][items - 1];
#pragma unroll
    for (unsigned half = 16; half >= 1; half /= 2) {
      A const left = simt::shuffle_up(whole_warp, mine, half);
      bool const is_first = lane_ + 1 == half;
      A both = mine;
      append(prefix(select(is_first, before.value(), left), !is_first || before.there()), both);
      mine = select((lane_ + 1) % (2 * half) == half, both, mine);
    }
    mine = select(lane_ == 31, after.value(), mine);
    A const left = simt::shuffle_up(whole_warp, mine, 1);
    prefix const first(select(lane_ == 0, before.value(), left), lane_ > 0 || before.there());
#pragma unroll
    for (unsigned m = 1; m < items; ++m) {
      unsigned const end = m & (m - 1);
      append(end == 0 ? first : prefix(x_[r][end - 1], true), x_[r][m - 1]);
    }
    return first.value();
  }

  /// Stores the results of row r that are in the matrix.
  template <class R>
  __device__ void store_row(matrix_memory<R> const& out, tile_part const& at, unsigned r,
                            A const (&result)[items]) const {
    if (r >= at.rows) return;
    std::remove_cvref_t<decltype(detail::finish(op_, result[0]))> finished[items];
#pragma unroll
    for (unsigned c = 0; c < items; ++c) finished[c] = detail::finish(op_, result[c]);
    R* const to = out.at(at.row + r, at.column);
    if constexpr (has_vectors<R>) {
      if (out.vectors && at.columns == items) {
        constexpr unsigned step = vector_items<R>(items);
#pragma unroll
        for (unsigned c = 0; c < items; c += step) {
          std::remove_cvref_t<decltype(finished[0])> piece[step];
#pragma unroll
          for (unsigned i = 0; i < step; ++i) piece[i] = finished[c + i];
          simt::pointer_cast<vector_of<R, step>>(to + c)[0] = packed_elements<R, step>(piece);
        }
        return;
      }
    }
#pragma unroll
    for (unsigned c = 0; c < items; ++c)
      if (c < at.columns)
        to[static_cast<std::ptrdiff_t>(c) * out.column_stride] = static_cast<R>(finished[c]);
  }

  /// Stores the result of row r in the matrix's last column, if that is this thread's.
  template <class R>
  __device__ void store_last(matrix_memory<R> const& out, table_extents const& size,
                             tile_part const& at, unsigned r, A const (&result)[items]) const {
    if (r >= at.rows) return;
#pragma unroll
    for (unsigned c = 0; c < items; ++c)
      if (at.column + c + 1 == size.columns)
        *out.at(at.row + r, at.column + c) = static_cast<R>(detail::finish(op_, result[c]));
  }

 private:
  __device__ A combined(A const& earlier, A const& later) const {
    return static_cast<A>(op_(earlier, later));
  }
  /// total = left followed by total.
  __device__ void append(prefix left, A& total) const {
    left.append(total, op_);
    total = left.value();
  }
  template <class T>
  __device__ void load_row(T const* from, T (&held)[items]) const {
    constexpr unsigned step = vector_items<T>(items);
    using vector = vector_of<T, step>;
#pragma unroll
    for (unsigned c = 0; c < items; c += step) {
      vector const piece = *simt::pointer_cast<vector const>(from + c);
      std::memcpy(held + c, &piece, sizeof piece);
    }
  }
  template <class T>
  __device__ void load_items(matrix_memory<T const> const& in, table_extents const& size,
                             tile_part const& at, T (&held)[rows][items]) const {
    if (at.rows == 0) return;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
#pragma unroll
      for (unsigned c = 0; c < items; ++c) {
        std::size_t const column = at.column + c;
        held[r][c] = *in.at(at.row + (r < at.rows ? r : at.rows - 1),
                            column < size.columns ? column : size.columns - 1);
      }
  }

  A x_[rows][items];
  unsigned lane_;
  Op const& op_;
};

}  // namespace upsweep::device
