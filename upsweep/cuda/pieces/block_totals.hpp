/// The totals of the maximal aligned blocks of a piece, which may begin and end at any position of
/// an array.
/// n element loads · 1 launch · the bits of the combine tree
/// docs/design/0008-pieces.md
///
/// Tiles and chunks are aligned blocks of the whole array, a chunk what a warp loads at once. All
/// blocks but the last one publish the totals of the tiles in the piece, as in a reduction, and of
/// the chunks before the first tile and after the last one. The last block combines
/// neighbors, level by level: what has no neighbor at its level is a maximal block. It does so
/// with the elements before the first chunk and after the last one, with the totals of those
/// chunks, and with those of the tiles as they arrive, a group of a few hundred at once.
#pragma once

#include <upsweep/cuda/pieces/blocks.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>

#include <cstddef>

namespace upsweep::device {

/// log2 of the number of values that the last block combines at once: 16 KiB of them at most.
template <class A>
inline constexpr unsigned group_digits = sizeof(A) <= 16   ? 10
                                         : sizeof(A) <= 32 ? 9
                                                           : 8;

/// Finds the maximal blocks of the piece that begins at element `begin`. All threads of the block
/// call its functions.
template <class Shape, class A, class Op>
class block_finder {
  static constexpr unsigned digits = group_digits<A>, size = 1U << digits;

 public:
  struct memory {
    shared_values<A, size>& values;
    shared_values<A, size / 2>& halves;
    shared_values<A, 64>& growing;
    shared_values<A, 64>& shrinking;
  };

  __device__ block_finder(std::size_t begin, memory const& room, Op const& op)
      : begin_(begin), room_(room), op_(op) {}

  /// Appends the blocks [first, last) of 2^level elements; get(i) is the total of block i. The
  /// pieces of the array that are appended apart from them are not siblings of any of these blocks.
  template <class Get>
  __device__ void append(std::size_t first, std::size_t last, unsigned level, Get const& get) {
    while (first < last) {
      std::size_t const border = (first / size + 1) * size, end = border < last ? border : last;
      append_group(first, end, level, get);
      first = end;
    }
  }

  /// Stores the totals of the maximal blocks of [begin, end).
  __device__ void store(std::size_t end, piece_totals<A>* to) const {
    __syncthreads();  // all totals are there
    piece_blocks const blocks(begin_, end);
    unsigned const k = threadIdx.x;
    if (k < 64) {
      if ((blocks.growing >> k & 1) != 0) {
        A const total = room_.growing[k];
        to->growing[k] = total;
      }
      if ((blocks.shrinking >> k & 1) != 0) {
        A const total = room_.shrinking[k];
        to->shrinking[k] = total;
      }
    }
    if (k == 0) {
      to->begin = begin_;
      to->end = end;
    }
  }

 private:
  /// The same for blocks of one aligned group of `size` blocks.
  template <class Get>
  __device__ void append_group(std::size_t first, std::size_t last, unsigned level,
                               Get const& get) {
    unsigned f = static_cast<unsigned>(first % size), l = f + static_cast<unsigned>(last - first);
    for (unsigned i = f + threadIdx.x; i < l; i += Shape::threads)
      room_.values[i] = get(first + (i - f));
    __syncthreads();  // the values are there
    boxed<A>*from = room_.values, *to = room_.halves;
    for (unsigned k = 0; f < l; ++k) {  // values [f, l) of 2^(level + k) elements each
      if (threadIdx.x == 0) {
        if (k == digits) {
          A const total = from[0];
          push(level + k, first / size, total);
        } else {
          if (f % 2 != 0) {
            A const total = from[f];
            room_.growing[level + k] = total;
          }
          if (l % 2 != 0) {
            A const total = from[l - 1];
            room_.shrinking[level + k] = total;
          }
        }
      }
      f = (f + 1) / 2;
      l = k == digits ? f : l / 2;
      for (unsigned i = f + threadIdx.x; i < l; i += Shape::threads) {
        A const earlier = from[2 * i], later = from[2 * i + 1];
        to[i] = op_(earlier, later);
      }
      boxed<A>* const read = from;
      from = to;
      to = read;
      __syncthreads();  // the values of the next level are there, those of this one have been read
    }
  }

  /// Called by one thread: appends block number `index` of 2^level elements.
  __device__ void push(unsigned level, std::size_t index, A total) const {
    for (; index % 2 != 0; index /= 2, ++level) {
      if ((index - 1) << level < begin_) {  // its left neighbor is not in the piece
        room_.growing[level] = total;
        return;
      }
      A const earlier = room_.shrinking[level];
      total = op_(earlier, total);
    }
    room_.shrinking[level] = total;
  }

  std::size_t begin_;
  memory room_;
  Op op_;
};

/// What reduce_tiles() needs of a block's shared memory.
template <class Values>
struct tiles_memory {
  Values& totals;
  ticket (&launch)[1];
};

/// Called by every block but the last one: publishes the totals of the chunks that are in no tile,
/// after those of the tiles.
template <class Shape, class Source, class Published, class Op>
__device__ void total_edges(Source const& chunks, piece_cut const& cut, unsigned tile_chunks,
                            Published const& published, Op const& op) {
  unsigned const lane = threadIdx.x % 32;
  std::size_t const first = std::size_t{blockIdx.x} * Shape::warps + warp_in_block(),
                    stride = std::size_t{gridDim.x - 1} * Shape::warps;
  for (std::size_t i = first; i < cut.edges; i += stride) {
    std::size_t const chunk = i < cut.front ? i : i + cut.tiles * tile_chunks;
    auto const total = chunk_total<Shape>(chunks, chunk * Shape::chunk, lane, op);
    if (lane == 0) published.publish(static_cast<unsigned>(cut.tiles + i), total);
  }
}

/// Waits for published totals: that of block `first` is in slot `slot`.
template <class A>
struct published_from {
  tile_totals<A> published;
  unsigned slot;
  std::size_t first;

  __device__ A operator()(std::size_t i) const {
    typename tile_totals<A>::tagged_total x{};
    for (;;) {
      published.look(slot + static_cast<unsigned>(i - first), 1, x);
      if (published.missing(x) == 0) return x.value();
      look_again();
    }
  }
};

/// `chunks` are the elements from the first multiple of a chunk on; `cut` has tiles of 2^k ·
/// Shape::size elements, which are read from the last one on if `backwards`. Blocks: any number of
/// them, and one more. The last one waits for the others, which do not wait for any block; so at
/// least two blocks must be resident together.
template <unsigned k, class Shape, class Source>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    block_totals(__grid_constant__ Source const in, __grid_constant__ Source const chunks,
                 std::size_t begin, __grid_constant__ piece_cut const cut, bool backwards,
                 piece_totals<typename Source::accumulator>* to, workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  using finder = block_finder<Shape, A, Op>;
  constexpr unsigned tile_chunks = Shape::warps << k;
  static_assert(2 * Shape::warps <= 1U << group_digits<A> && tile_chunks <= 1U << group_digits<A>);
  __shared__ shared_values<A, 1U << group_digits<A>> values;
  __shared__ shared_values<A, 1U << (group_digits<A> - 1)> halves;
  __shared__ shared_values<A, 64> growing;
  __shared__ shared_values<A, 64> shrinking;
  __shared__ ticket launch[1];
  Op const op = in.op;
  wait_for_earlier_work();
  if (threadIdx.x == 0) launch[0] = this_launch(workspace);
  __syncthreads();  // the epoch is known
  ticket const now = launch[0];
  tile_totals<A> const published = workspace.totals<A>(now.epoch);
  unsigned const tiles = static_cast<unsigned>(cut.tiles);
  if (blockIdx.x + 1 < gridDim.x) {
    total_edges<Shape>(chunks, cut, tile_chunks, published, op);
    tiles_memory<decltype(values)> const memory{values, launch};
    reduce_tiles<k, Shape>(chunks, cut.front * Shape::chunk, cut.tiles, workspace, memory, op,
                           backwards);
    return;
  }

  finder blocks(begin, {values, halves, growing, shrinking}, op);
  auto const element = [&](std::size_t i) {
    typename Source::template lane_items<1> x;
    in.load_one(i - begin, x);
    return in.template item<1>(x, 0, i - begin);
  };
  std::size_t const first = (begin + cut.head) / Shape::chunk, first_of_tiles = first + cut.front,
                    after_tiles = first_of_tiles + cut.tiles * tile_chunks,
                    last = first + cut.edges + cut.tiles * tile_chunks, end = begin + in.size,
                    first_tile = first_of_tiles / tile_chunks;
  unsigned const level = Shape::chunk_level, front = static_cast<unsigned>(cut.front);
  blocks.append(begin, begin + cut.head, 0, element);
  blocks.append(end - cut.tail, end, 0, element);
  blocks.append(first, first_of_tiles, level, published_from<A>{published, tiles, first});
  blocks.append(after_tiles, last, level, published_from<A>{published, tiles + front, after_tiles});
  blocks.append(first_tile, first_tile + cut.tiles, Shape::level + k,
                published_from<A>{published, 0, first_tile});
  blocks.store(end, to);
  // All blocks that have work have published, so have read the epoch. A block without work may read
  // a later one, but uses it for nothing.
  if (threadIdx.x == 0) begin_next_launch(workspace, now.epoch);
}

}  // namespace upsweep::device
