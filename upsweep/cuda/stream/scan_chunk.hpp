/// A chunk of a stream, at any position and of any length: its scan, or only its total, and the new
/// carry.
/// 2n element accesses (n for a total) · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// The tiles are those of the whole stream (stream/chunk.hpp), so the chunk may begin and end
/// inside a tile. Before the chunk, the first tile has the carry's small totals, each in the first
/// slot of its block, with empty values in the other slots; after the chunk, the last tile has
/// empty values. The last tile is the one in which the next chunk begins; it may be empty. The
/// siblings along the path to that position are the new carry.
#pragma once

#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/scan/scan_ring.hpp>
#include <upsweep/cuda/stream/chunk.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

/// The elements of a chunk, after the `head` slots of the first tile before it.
template <class Source>
struct chunk_source {
  using element = typename Source::element;
  using inner = typename Source::operation;
  using total = typename Source::accumulator;
  using operation = chunk_operation<inner, total>;
  using accumulator = chunk_value<inner, total>;
  static constexpr bool as_they_are = false, reversed = false, plain = false;
  template <unsigned items>
  using lane_items = held<accumulator, items>;

  Source in;
  operation op;
  chunk_start<total> start;
  std::size_t head;

  __device__ bool has_whole(std::size_t i, std::size_t count) const {
    return i >= head && in.has_whole(i - head, count);
  }
  template <unsigned items>
  __device__ void load_whole(std::size_t i, lane_items<items>& x) const {
    typename Source::template lane_items<items> elements;
    in.template load_whole<items>(i - head, elements);
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      x.value[j] = something<accumulator>(in.template item<items>(elements, j, i - head));
  }
  template <unsigned items>
  __device__ void load(std::size_t i, lane_items<items>& x) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j) x.value[j] = at(i + j);
  }
  template <unsigned items>
  __device__ accumulator const& item(lane_items<items> const& x, unsigned j, std::size_t) const {
    return x.value[j];
  }

 private:
  __device__ accumulator at(std::size_t i) const {
    if (i < head) return start.template carried<inner>(0, i, head);
    if (i - head >= in.size) return neutral<operation, accumulator>();
    typename Source::template lane_items<1> x;
    in.template load<1>(i - head, x);
    return something<accumulator>(in.template item<1>(x, 0, i - head));
  }
};

/// The results of a chunk, after the same number of slots.
template <class Sink>
struct chunk_sink {
  static constexpr bool stores = true;
  Sink out;
  std::size_t head;

  template <unsigned items, class Value>
  __device__ void store(std::size_t i, Value const* x) const {
    std::remove_cvref_t<decltype(value_of(*x))> result[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j) result[j] = value_of(x[j]);
    if (i >= head) return out.template store<items>(i - head, result);
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (i + j >= head && i + j - head < out.size) out(i + j - head, result[j]);
  }
};
/// The totals of a warp's chunk that belong to the carry at position `end`.
template <class Shape, class Source>
struct chunk_digits {
  using A = typename Source::accumulator;
  static constexpr unsigned rows = Shape::rows, items = Shape::items;

  /// Called after up(): calls put(k, total) for each aligned block of 2^k elements, smaller than
  /// the chunk, of those that the elements before `end` split into. The lane that holds `end` does
  /// so, if it is in this chunk.
  template <class Op, class Put>
  __device__ static void put_all(warp_chunk<Shape, Source> const& chunk, Source const& in,
                                 std::size_t end, Op const& op, Put const& put) {
    if (end < chunk.begin_ || end - chunk.begin_ >= Shape::chunk) return;
    unsigned const at = static_cast<unsigned>(end - chunk.begin_);
    if (chunk.lane_ != at / items % 32) return;
    constexpr unsigned lane_digits = level_of<items>, row_digits = lane_digits + 5;
    put_tree(chunk.rows_, at / Shape::row,
             [&](unsigned k, A const& total) { put(row_digits + k, total); });
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (at / Shape::row != r) continue;
#pragma unroll
      for (unsigned k = 0; k < 5; ++k)
        if ((chunk.lane_ >> k & 1) != 0) put(lane_digits + k, chunk.beside_[r].total[k]);
      thread_tree<A, items> own;
      chunk.fill(own, in, r);
      own.up(op);
      put_tree(own, at % items, put);
    }
  }

 private:
  /// The same for the values of a thread before value `end`.
  template <unsigned count, class Put>
  __device__ static void put_tree(thread_tree<A, count> const& tree, unsigned end, Put const& put) {
#pragma unroll
    for (unsigned k = 0; 1u << k < count; ++k)
#pragma unroll
      for (unsigned i = 1; i < count >> k; i += 2)
        if (end >> k == i) put(k, tree.node[(count >> k) + i - 1]);
  }
};

/// Blocks: persistent, tiles by ticket.
template <scan_kind kind, class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_chunk(Source in, Sink out, scan_start<typename Source::accumulator> start,
               new_carry<typename Source::total, typename Source::inner> next,
               workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  using look_back = chunk_lookback<Shape, typename Source::total, typename Source::inner>;
  __shared__ shared_values<A, Shape::warps> totals;
  __shared__ shared_values<A, Shape::warps + 1> bases;
  __shared__ shared_values<A, look_back::tiles::memory_size> lookback_memory;
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  std::size_t const end = in.head + in.in.size;  // of this chunk, from the first tile's start
  unsigned const last = static_cast<unsigned>(end / Shape::size);
  Op const op = in.op;

  wait_for_earlier_work();
  if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  look_back earlier(in.start, workspace, mine.epoch, lane, lookback_memory, op);
  if (warp == 0 && mine.tile <= last) earlier.begin();
  while (mine.tile <= last) {
    bool const is_last = mine.tile == last;
    warp_chunk<Shape, Source> chunk(
        std::size_t{mine.tile} * Shape::size + warp * std::size_t{Shape::chunk}, lane);
    chunk.load(in);
    A const total = chunk.up(in, op);
    if (lane == 0) totals[warp] = total;
    if (is_last) chunk_digits<Shape, Source>::put_all(chunk, in, end, op, next);
    __syncthreads();  // totals[w] is the total of chunk w
    if (warp == 0) {
      siblings<A, Shape::warp_levels> beside;
      A const own = butterfly<Shape::warp_levels>(A(totals[lane % Shape::warps]), beside, op);
      earlier.publish(mine.tile, own);
      if (mine.tile == 0) earlier.publish_carry();
      if (Sink::stores || is_last) {
        A const in_group = earlier.template reach<!Sink::stores>(mine.tile, own);
        if (is_last) earlier.split(mine.tile, end, beside, in_group, next);
        auto [before, after] = earlier.around(mine.tile, in_group);
        beside.append_to(before, lane, op);
        if (lane < Shape::warps) bases[lane] = before.value();
        if (lane == 0) bases[Shape::warps] = after.value();
      }
      // Not before: a tile that waits in a block delays all later ones.
      if (lane == 0) drawn[0] = draw_ticket(workspace);
    }
    __syncthreads();  // bases[w] is the exclusive prefix of chunk w; the digits of tiles are stored
    if (warp == 0 && is_last) earlier.complete(in.in.size, next);
    if constexpr (Sink::stores) {
      A const base = bases[warp], next_base = bases[warp + 1];
      chunk.template down<kind>(in, out, prefix_of<A, Op>(base, true),
                                prefix_of<A, Op>(next_base, true), start, op);
    }
    mine = drawn[0];
    __syncthreads();  // the ticket, totals and bases of this tile have been read
  }
  if (threadIdx.x == 0) leave(workspace, mine.epoch);
}

// A chunk of a stream in scan_ring, which begins and ends at tile boundaries.
//
// The carry has the totals of the tiles before it, and the ticket after the last tile is for the
// new carry.
// docs/design/0004-cuda.md

/// What scan_ring calls for the next chunk of a stream.
template <class Shape, class A, class Op>
struct stream_chunk {
  static constexpr bool continues = true;
  using seen = chunk_value<Op, A>;
  using lookback_of_tiles = chunk_lookback<Shape, A, Op>;

  chunk_start<A> before;
  new_carry<A, Op> next;

  /// Called by the look-back warp of the ring. Only a scan needs the prefixes of tiles.
  template <class Ring>
  __device__ void look_back(Ring const& ring) const {
    using barrier = typename Ring::Barrier;
    typename lookback_of_tiles::operation const op{ring.op_};
    barrier(ring.memory_.summed).wait(0);
    ticket const first = ring.memory_.drawn[0];
    lookback_of_tiles earlier(before, ring.workspace_, first.epoch, ring.lane_,
                              ring.memory_.lookback_memory, op);
    if (first.tile <= ring.tiles_) earlier.begin();
    ring_position stage;
    for (unsigned k = 0;; ++k, stage.advance(ring.plan_.stages)) {
      unsigned const q = k % Ring::slots;
      barrier(ring.memory_.summed + q).wait(k / Ring::slots % 2);
      ticket const mine = ring.memory_.drawn[q];
      if (mine.tile > ring.tiles_) return;
      if (mine.tile == 0) earlier.publish_carry();
      if (mine.tile == ring.tiles_) {
        seen const in_group =
            earlier.template reach<!Ring::stores>(mine.tile, neutral<decltype(op), seen>());
        earlier.split(mine.tile, ring.n_, siblings<seen, 0>{}, in_group, next);
        (void)earlier.around(mine.tile, in_group);
        __syncwarp();  // all digits for blocks of tiles are stored
        return earlier.complete(ring.n_, next);
      }
      if constexpr (Ring::stores) {
        A const own = ring.memory_.nodes[q * 2 * Ring::chunks + 1];
        seen const in_group = earlier.reach(mine.tile, something<seen>(own));
        auto const around = earlier.around(mine.tile, in_group);
        if (ring.lane_ == 0) {
          ring.memory_.prefixes[2 * q] = value_of(around.before.value());
          ring.memory_.prefixes[2 * q + 1] = value_of(around.after.value());
        }
        ring.arrive_for_all(ring.memory_.prefixed + q);
      } else {
        ring.arrive_for_all(ring.memory_.empty + stage.index);
      }
    }
  }

  __device__ void publish(workspace_words const& workspace, ticket const& t, A const& total) const {
    lookback_of_tiles::totals(workspace, t.epoch, before.position)
        .publish(lookback_of_tiles::number(before.position) + t.tile, something<seen>(total));
  }
};

}  // namespace upsweep::device
