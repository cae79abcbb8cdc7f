/// The warps and the shared memory of a block that scans bands of a matrix, and how it fetches
/// tiles.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/scan/stages.hpp>
#include <upsweep/cuda/summed_area/line_lookback.hpp>
#include <upsweep/cuda/summed_area/scan_table.hpp>

#include <cstddef>

namespace upsweep::device {

/// The warps of a block for bands as high as tiles of `Shape`, a table_shape: one that fetches, and
/// these.
template <class Shape>
struct band_warps {
  static constexpr unsigned scan = Shape::warps, sum = Shape::warps / 2,
                            look_back = Shape::width / 32, lookbacks = 2;  ///< groups of them
  static constexpr unsigned threads = 32 * (1 + scan + sum + lookbacks * look_back);
};

/// Tile k of a band, and the epoch of the launch.
struct band_tile {
  unsigned band, k, epoch;
};

/// The shared memory of a block. A stage of the ring has a slot of the small arrays too.
template <class T, class A>
struct band_memory {
  T* elements;         ///< of the stages
  boxed<A>* columns;   ///< of the stages, for each chunk and column: totals, then prefixes
  boxed<A>* blocks;    ///< of look-backs
  boxed<A>* digits;    ///< of the counters of rows
  boxed<A>* rows;      ///< for each row: its total, then the prefix before the tile; that after it
  band_tile* fetched;  ///< in the stages
  word *full, *empty;  ///< the tile is in its stage; all scanning warps have read it
  word *summed, *prefixed;  ///< the columns' totals are stored; their prefixes are stored
  unsigned* group;
};

/// The dynamic shared memory of a block.
template <class Shape, class T, class A>
struct band_layout {
  static constexpr unsigned most_stages = 8, size = Shape::height * Shape::width;
  /// The prefixes before each chunk, and after the last one.
  static constexpr unsigned columns_size = (Shape::warps + 1) * Shape::width;
  static constexpr std::size_t stage_bytes = size * sizeof(T) + columns_size * sizeof(boxed<A>);
  static_assert(Shape::width * sizeof(T) % 16 == 0);

  unsigned blocks_size, digits_size;

  __host__ __device__ explicit band_layout(table_call const& call)
      : blocks_size(line_bits * line_levels(call.tile_rows) * Shape::width),
        digits_size(2 * static_cast<unsigned>(detail::floor_log2(call.tile_columns) + 1) *
                    Shape::height) {}

  /// Of `stages` stages.
  [[nodiscard]] std::size_t bytes(unsigned stages) const {
    return stages * stage_bytes +
           (band_warps<Shape>::lookbacks * blocks_size + digits_size) * sizeof(boxed<A>);
  }
  /// The stages that fit in so many bytes.
  [[nodiscard]] unsigned stages(std::size_t available) const {
    unsigned fit = most_stages;
    while (fit > 0 && bytes(fit) > available) --fit;
    return fit;
  }
};

/// Called by a whole warp: starts the copy of a tile, of which the matrix has `rows` rows and
/// `columns` columns. Its rows begin at multiples of 16 bytes, `pitch` elements apart. A lane then
/// arrives by arrive_when_copied(), and by arrive() for what it has copied at once, the less than
/// 16 bytes at the end of a row.
template <class Shape, class T>
__device__ void copy_tile(T* to, T const* from, std::ptrdiff_t pitch, unsigned rows,
                          unsigned columns, unsigned lane) {
  constexpr unsigned items = items_of<T>, pieces = Shape::width / items,
                     in_row = pieces < 32 ? pieces : 32, row_step = 32 / in_row,
                     steps_in_row = pieces / in_row,
                     steps = Shape::height / row_step * steps_in_row;
  static_assert(Shape::height % row_step == 0);
  unsigned const row = lane / in_row, column = lane % in_row * items;
  to += row * Shape::width + column;
  from += row * pitch + column;
  if (rows == Shape::height && columns == Shape::width) {
#pragma unroll 16
    for (unsigned i = 0; i < steps; ++i) {
      unsigned const r = i / steps_in_row * row_step, c = i % steps_in_row * 32 * items;
      copy_vector(to + r * Shape::width + c, from + r * pitch + c, items);
    }
    return;
  }
  for (unsigned i = 0; i < steps; ++i) {
    unsigned const r = i / steps_in_row * row_step, c = i % steps_in_row * 32 * items;
    if (row + r >= rows || column + c >= columns) continue;
    unsigned const left = columns - column - c;
    if (left >= items)
      copy_vector(to + r * Shape::width + c, from + r * pitch + c, items);
    else
      for (unsigned k = 0; k < left; ++k) to[r * Shape::width + c + k] = from[r * pitch + c + k];
  }
}

}  // namespace upsweep::device
