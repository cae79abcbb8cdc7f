/// The reduction of every window of up to half a tile: each tile by itself, in shared memory.
/// One read of each element, and one more of those at borders of tiles; one store of each result ·
/// 1 launch · about log2(w) applications of the operator and one for each bit of w, for each window
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/windows/tile.hpp>

#include <cstddef>

namespace upsweep::device {

/// What one launch computes: of each of `count` windows the elements [offset, offset + width),
/// after `totals` if those are not null.
template <class A>
struct window_call {
  std::size_t count, offset;
  unsigned width;
  A const* totals;  ///< of the elements in front of `offset`, in device memory
  A initial;        ///< combined on the left of each result
  bool has_initial;

  template <class Op>
  __device__ A result(Op const& op, A const& total) const {
    return has_initial ? static_cast<A>(op(initial, total)) : total;
  }
};

/// Results as accumulators, in scratch memory.
template <class A>
struct window_totals {
  using element = A;
  A* first;
  std::size_t size;

  template <unsigned items>
  __device__ void store(std::size_t i, A const* a) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (i + j < size) first[i + j] = a[j];
  }
};

/// Fills array 0 with the elements from `begin` on, copies of the last one past the end.
template <class Shape, class Source, class Tile>
__device__ void load_tile(Source const& in, std::size_t begin, Tile const& tile) {
  using T = typename Source::element;
  constexpr unsigned piece = vector_items<T>(Shape::items < 16 ? Shape::items : 16),
                     rows = Shape::items / piece;
  unsigned const thread = threadIdx.x;
  auto const place = [&](unsigned r) { return (r * Shape::threads + thread) * piece; };
  typename Source::template lane_items<piece> x[rows];
  bool const whole = in.has_whole(begin, Shape::size);
#pragma unroll
  for (unsigned r = 0; r < rows; ++r)
    if (whole)
      in.template load_whole<piece>(begin + place(r), x[r]);
    else
      in.template load<piece>(begin + place(r), x[r]);
#pragma unroll
  for (unsigned r = 0; r < rows; ++r)
#pragma unroll
    for (unsigned j = 0; j < piece; ++j)
      tile.at(0, static_cast<int>(place(r) + j)) =
          in.template item<piece>(x[r], j, begin + place(r));
}

template <class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    windows(Source in, Sink out, window_call<typename Source::accumulator> call) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  constexpr unsigned piece =
      vector_items<typename Sink::element>(Shape::items < 16 ? Shape::items : 16);
  std::size_t const most = Shape::windows(call.width), begin = blockIdx.x * most;
  std::size_t const left = call.count - begin;
  int const count = static_cast<int>(left < most ? left : most);
  int const thread = static_cast<int>(threadIdx.x);
  window_tile<Shape, A, Op> const tile(simt::dynamic_shared<boxed<A>>(), call.width, in.op);

  wait_for_earlier_work();
  if (call.width > 0) load_tile<Shape>(in, begin + call.offset, tile);
  if (call.totals != nullptr)
    for (int i = thread; i < Shape::size; i += Shape::threads)
      tile.at(tile.extended(), i) =
          call.totals[begin + static_cast<std::size_t>(i < count ? i : count - 1)];
  __syncthreads();  // the tile is in shared memory
  tile.combine(call.totals != nullptr);
#pragma unroll
  for (int r = 0; r < Shape::items / static_cast<int>(piece); ++r) {
    int const i = (r * Shape::threads + thread) * static_cast<int>(piece);
    if (i >= count) continue;
    A result[piece];
#pragma unroll
    for (int j = 0; j < static_cast<int>(piece); ++j)
      result[j] = call.result(in.op, tile.at(0, i + j));
    out.template store<piece>(begin + static_cast<std::size_t>(i), result);
  }
}

}  // namespace upsweep::device
