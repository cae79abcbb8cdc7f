/// The totals of the maximal aligned blocks of a piece, which may begin and end at any position of
/// an array.
/// n element loads · 1 launch · the bits of the combine tree
/// docs/design/0008-pieces.md
///
/// Units are aligned blocks of the whole array, as many elements as a warp reduces at once. All
/// blocks but the last one publish the totals of the units in the piece. The last block combines
/// neighbours, level by level: what has no neighbour at its level is a maximal block. It does so
/// with the elements in front of the first unit, with those behind the last one, and with the
/// totals of the units as they arrive, a group of a few hundred at once.
#pragma once

#include <upsweep/cuda/pieces/blocks.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>

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

  /// Appends the blocks [first, last) of 2^level elements; get(i) is the total of block i. In
  /// front of them and behind them is less of the piece than one such block.
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
      if ((index - 1) << level < begin_) {  // its left neighbour is not in the piece
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

/// `units` are the elements from the first multiple of a unit on, the first `head` elements are in
/// front of it. Blocks: at most one for each Shape::warps whole units, and one more. The last one
/// waits for the others, which do not wait for any block; so at least two blocks must be resident
/// together.
template <unsigned k, class Shape, class Source>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    block_totals(__grid_constant__ Source const in, __grid_constant__ Source const units,
                 std::size_t begin, std::size_t head,
                 piece_totals<typename Source::accumulator>* to, workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  using finder = block_finder<Shape, A, Op>;
  constexpr std::size_t unit = std::size_t{Shape::chunk} << k;
  constexpr unsigned level = Shape::chunk_level + k;
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
  std::size_t const count = units.size / unit;
  if (blockIdx.x + 1 < gridDim.x) {
    unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
    std::size_t const stride = std::size_t{gridDim.x - 1} * Shape::warps;
    for (std::size_t u = std::size_t{blockIdx.x} * Shape::warps + warp; u < count; u += stride) {
      A const total = run_total<k, Shape>(units, u * unit, lane, op);
      if (lane == 0) published.publish(static_cast<unsigned>(u), total);
    }
    return;
  }

  finder blocks(begin, {values, halves, growing, shrinking}, op);
  auto const element = [&](std::size_t i) {
    typename Source::template lane_items<1> x;
    in.load_one(i - begin, x);
    return in.template item<1>(x, 0, i - begin);
  };
  std::size_t const first = begin + head, last = first + count * unit, end = begin + in.size;
  blocks.append(begin, first, 0, element);
  blocks.append(last, end, 0, element);
  blocks.append(first / unit, last / unit, level, [&](std::size_t i) {
    typename tile_totals<A>::tagged_total x{};
    for (;;) {
      published.look(static_cast<unsigned>(i - first / unit), 1, x);
      if (published.missing(x) == 0) return x.value();
      look_again();
    }
  });
  blocks.store(end, to);
  // All blocks have published, so have read the epoch.
  if (threadIdx.x == 0) begin_next_launch(workspace, now.epoch);
}

}  // namespace upsweep::device
