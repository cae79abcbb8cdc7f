/// The reduction of every window of up to half a tile: each tile by itself, in shared memory.
/// One read of each element, and one more of those at borders of tiles; one store of each result ·
/// 1 launch · about log2(w) applications of the operator and one for each bit of w, for each window
/// docs/design/0004-cuda.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/windows/tile.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>

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

/// How many elements of type T a thread moves at once between device memory and its tile, and how
/// many times.
template <class Shape, class T>
struct window_pieces {
  static constexpr int size = static_cast<int>(vector_items<T>(Shape::items < 16 ? 4 : 16)),
                       rows = (Shape::size / size + Shape::threads - 1) / Shape::threads;

  /// Where in the tile this thread's piece r is; the last ones may be past the end.
  [[nodiscard]] static __device__ int place(int r) {
    return (r * Shape::threads + static_cast<int>(threadIdx.x)) * size;
  }
};

/// Fills array 0 with the elements from `begin` on, copies of the last one past the end.
template <class Shape, class A, class Source, class Tile>
__device__ void load_tile(Source const& in, std::size_t begin, Tile const& tile) {
  using pieces = window_pieces<Shape, typename Source::element>;
  constexpr int piece = pieces::size, step = static_cast<int>(vector_items<A>(piece));
  typename Source::template lane_items<piece> x[pieces::rows];
  bool const whole = in.has_whole(begin, Shape::size);
#pragma unroll
  for (int r = 0; r < pieces::rows; ++r) {
    int const place = pieces::place(r);
    if (place >= Shape::size) continue;
    if (whole)
      in.template load_whole<piece>(begin + static_cast<std::size_t>(place), x[r]);
    else
      in.template load<piece>(begin + static_cast<std::size_t>(place), x[r]);
  }
#pragma unroll
  for (int r = 0; r < pieces::rows; ++r) {
    int const place = pieces::place(r);
    if (place >= Shape::size) continue;
#pragma unroll
    for (int j = 0; j < piece; j += step) {
      A lifted[step];
#pragma unroll
      for (int k = 0; k < step; ++k)
        lifted[k] = in.template item<piece>(x[r], static_cast<unsigned>(j + k),
                                            begin + static_cast<std::size_t>(place));
      store_values(tile.at(0, place + j), lifted);
    }
  }
  typename Source::template lane_items<1> last;
  in.template load<1>(begin + Shape::size - 1, last);
  tile.fill_ends(in.template item<1>(last, 0, begin + Shape::size - 1));
}

/// Stores the totals in array 0 of the `count` windows from `begin` on.
template <class Shape, class A, class Sink, class Op, class Tile>
__device__ void store_results(Sink const& out, Op const& op, window_call<A> const& call,
                              std::size_t begin, int count, Tile const& tile) {
  using pieces = window_pieces<Shape, typename Sink::element>;
  constexpr int piece = pieces::size, step = static_cast<int>(vector_items<A>(piece));
#pragma unroll
  for (int r = 0; r < pieces::rows; ++r) {
    int const place = pieces::place(r);
    if (place >= count) continue;
    A result[piece];
#pragma unroll
    for (int j = 0; j < piece; j += step) {
      A total[step];
      load_values(tile.at(0, place + j), total);
#pragma unroll
      for (int k = 0; k < step; ++k) result[j + k] = call.result(op, total[k]);
    }
    out.template store<unsigned{piece}>(begin + static_cast<std::size_t>(place), result);
  }
}

template <class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    windows(Source in, Sink out, window_call<typename Source::accumulator> call) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  std::size_t const most = Shape::windows(call.width), begin = blockIdx.x * most;
  std::size_t const left = call.count - begin;
  int const count = static_cast<int>(left < most ? left : most);
  window_tile<Shape, A, Op> const tile(simt::dynamic_shared<boxed<A>>(), call.width, in.op);

  wait_for_earlier_work();
  if (call.width > 0) load_tile<Shape, A>(in, begin + call.offset, tile);
  if (call.totals != nullptr)
    for (int i = static_cast<int>(threadIdx.x); i < Shape::size; i += Shape::threads)
      tile.at(tile.extended(), i)[0] =
          call.totals[begin + static_cast<std::size_t>(i < count ? i : count - 1)];
  __syncthreads();  // the tile is in shared memory
  tile.combine(call.totals != nullptr);
  store_results<Shape>(out, in.op, call, begin, count, tile);
}

}  // namespace upsweep::device
