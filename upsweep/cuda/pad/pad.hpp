/// Rows of a matrix become longer or shorter in place: each tile is loaded, and stored as soon as
/// the tiles whose elements it overwrites have been loaded.
/// One read of each element that is kept, one store of each result · 1 launch
/// Gómez-Luna, Chang, Sung, Hwu, Guil: In-place data sliding algorithms for many-core
/// architectures, ICPP 2015 docs/design/0013-cuda-verbs.md
///
/// All elements move in one direction. Tiles are drawn in the order in which that makes room, so a
/// tile waits only for tiles that other blocks have drawn before, whose loads wait for nothing.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/quotient.hpp>

#include <cstddef>

namespace upsweep::device {

/// A matrix in words: `rows` rows of `in` words, which become rows of `out` words.
struct pad_shape {
  std::size_t rows, in, out;

  [[nodiscard]] __host__ __device__ std::size_t kept() const { return in < out ? in : out; }
  [[nodiscard]] __host__ __device__ std::size_t outputs() const { return rows * out; }
};

/// The words that fill a row that becomes longer, in turn.
template <class Word>
struct pad_fill {
  static constexpr unsigned most = 128 / sizeof(Word);
  Word words[most];
  unsigned count;

  [[nodiscard]] __device__ Word of(std::size_t column) const {
    return words[column - quotient(column, count) * count];
  }
};

/// The first result whose element is at `position` or after it.
__forceinline__ __device__ std::size_t result_from(pad_shape const& shape, std::size_t position) {
  if (position >= shape.rows * shape.in) return shape.outputs();
  std::size_t const row = quotient(position, shape.in), column = position - row * shape.in;
  return row * shape.out + (column < shape.kept() ? column : shape.kept());
}

/// Waits until the tiles have been loaded whose elements are where the results [begin, end) go.
/// Called by one warp.
template <unsigned size>
__device__ void wait_for_room(pad_shape const& shape, tile_totals<unsigned> const& loaded,
                              std::size_t tile, unsigned lane) {
  std::size_t const begin = tile * size, first = result_from(shape, begin),
                    end = result_from(shape, begin + size);
  if (first == end) return;
  for (std::size_t t = first / size + lane; t <= (end - 1) / size; t += 32) {
    if (t == tile) continue;
    typename tile_totals<unsigned>::tagged_total seen{};
    for (loaded.look(static_cast<unsigned>(t), 1, seen); loaded.missing(seen) != 0;
         loaded.look(static_cast<unsigned>(t), 1, seen))
      look_again();
  }
}

/// The elements of one thread's results, one result in `threads`. `Index` has the length of a row.
template <unsigned threads, class Index>
class pad_walk {
 public:
  __device__ pad_walk(pad_shape const& shape, std::size_t begin)
      : out_(static_cast<Index>(shape.out)),
        kept_(static_cast<Index>(shape.kept())),
        step_column_(static_cast<Index>(threads % out_)),
        step_from_(threads / out_ * shape.in + step_column_),
        next_row_(shape.in - shape.out) {
    std::size_t const row = quotient(begin, shape.out);
    column_ = static_cast<Index>(begin - row * shape.out);
    from_ = row * shape.in + column_;
  }
  [[nodiscard]] __device__ bool keeps() const { return column_ < kept_; }
  [[nodiscard]] __device__ std::size_t column() const { return column_; }
  [[nodiscard]] __device__ std::size_t from() const { return from_; }
  __device__ void step() {
    column_ += step_column_;
    from_ += step_from_;
    if (column_ < out_) return;
    column_ -= out_;
    from_ += next_row_;
  }

 private:
  Index out_, kept_, step_column_, column_;
  std::size_t step_from_, next_row_, from_;
};

/// Loads the results of a thread from `begin` on, of which `count` are in the matrix.
template <unsigned threads, class Index, class Word, unsigned items>
__device__ void load_results(Word* x, pad_shape const& shape, pad_fill<Word> const& fill,
                             std::size_t begin, unsigned count, Word (&held)[items]) {
  pad_walk<threads, Index> walk(shape, begin);
#pragma unroll
  for (unsigned r = 0; r < items; ++r) {
    held[r] = fill.words[0];
    if (r < count && walk.keeps()) held[r] = x[walk.from()];
    walk.step();
  }
  if (fill.count == 1) return;
  pad_walk<threads, Index> again(shape, begin);
#pragma unroll
  for (unsigned r = 0; r < items; ++r) {
    if (!again.keeps()) held[r] = fill.of(again.column());
    again.step();
  }
}

template <class Word, class Index, unsigned threads, unsigned items>
__global__ void __launch_bounds__(threads, (sizeof(Index) == 4 ? 1024 : 512) / threads)
    pad_rows(Word* x, pad_shape shape, pad_fill<Word> fill, workspace_words workspace) {
  constexpr unsigned size = threads * items;
  __shared__ ticket drawn[1];
  unsigned const thread = threadIdx.x;
  std::size_t const outputs = shape.outputs(), tiles = (outputs + size - 1) / size;
  wait_for_earlier_work();
  if (thread == 0) drawn[0] = draw_ticket(workspace);
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  tile_totals<unsigned> const loaded = workspace.totals<unsigned>(mine.epoch);
  while (mine.tile < tiles) {
    // What moves to the right makes room at the end.
    std::size_t const tile = shape.in < shape.out ? tiles - 1 - mine.tile : mine.tile,
                      begin = tile * size + thread;
    std::size_t const left = begin < outputs ? outputs - begin + threads - 1 : 0;
    unsigned const count = left < size ? static_cast<unsigned>(left) / threads : items;
    Word held[items];
    load_results<threads, Index>(x, shape, fill, begin, count, held);
    __threadfence();  // this thread's loads have completed
    __syncthreads();  // the tile has been loaded
    if (thread < 32) {
      if (thread == 0) {
        __threadfence();  // so have those of the block
        loaded.publish(static_cast<unsigned>(tile), 0);
      }
      wait_for_room<size>(shape, loaded, tile, thread);
      __threadfence();  // stores come after the other tiles' loads
      // Not before: a tile that waits in a block delays all later ones.
      __syncwarp();  // every lane has waited
      if (thread == 0) drawn[0] = draw_ticket(workspace);
    }
    __syncthreads();  // there is room, and the next tile is known
    ticket const next = drawn[0];
#pragma unroll
    for (unsigned r = 0; r < items; ++r)
      if (r < count) x[begin + r * threads] = held[r];
    __syncthreads();  // the next ticket has been read
    mine = next;
  }
  if (thread == 0) leave(workspace, mine.epoch);
}

}  // namespace upsweep::device
