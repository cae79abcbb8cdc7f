/// A chunk of a stream, at whatever position it starts and however long it is: its scan, or only its total, and the new carry.
/// 2n element accesses (n for a total) · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// The tiles are those of the whole stream, so the chunk may begin and end within one. In front of it the first tile has the
/// carry's small totals, each at the first place of its block, and nothing at the other places; behind it the last tile has
/// nothing. Nothing joins anything as itself, so up-sweep and down-sweep give every element the tree's bits. The carry's larger
/// totals are the look-back's in the same way. The last tile is the one in which the next chunk begins, perhaps empty: the siblings
/// on the way to that position are the new carry.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/device_carry.hpp>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::shared;

/// What a chunk is combined in: values that may be nothing, unless the operator has a value that changes no other.
template <class Op, class A>
using chunk_operation = std::conditional_t<has_neutral<Op, A>, Op, join_perhaps<Op>>;
template <class Op, class A>
using chunk_value = std::conditional_t<has_neutral<Op, A>, A, perhaps<A>>;
template <class Value, class A>
__device__ Value something(A const& a) {
  if constexpr (is_perhaps<Value>)
    return {a, true};
  else
    return a;
}
template <class Value>
__device__ auto const& value_of(Value const& x) {
  if constexpr (is_perhaps<Value>)
    return x.value;
  else
    return x;
}

/// What is known of a stream in front of `position`: at [k] the total of the block of digit k, in device memory.
template <class A>
struct chunk_start {
  std::size_t position;
  global<A const> totals;

  /// Of the blocks that `place` units of 2^first elements split into, the total of the one that starts at unit i, or nothing.
  template <class Op>
  __device__ chunk_value<Op, A> carried(unsigned first, std::size_t i, std::size_t place) const {
    using value = chunk_value<Op, A>;
    value x = neutral<chunk_operation<Op, A>, value>();
    for (unsigned k = 0; place >> k != 0; ++k) {
      if ((place >> k & 1) == 0 || i != place >> (k + 1) << (k + 1)) continue;
      A const total = totals[first + k];
      x = something<value>(total);
    }
    return x;
  }
  /// The fold of the totals of digits `first` and larger.
  template <class Value, class Op>
  __device__ Value prefix(unsigned first, Op const& op) const {
    prefix_of<Value, Op> p(neutral<Op, Value>(), false);
    for (unsigned k = 64; k-- > first;) {
      if ((position >> k & 1) == 0) continue;
      A const total = totals[k];
      p.append(something<Value>(total), op);
    }
    return p.value();
  }
  /// `total`, of 2^k elements that end a block of more, becomes that block's. Returns the digit of the latter.
  template <class Value, class Op>
  __device__ unsigned join(unsigned k, Value& total, Op const& op) const {
    for (; (position >> k & 1) != 0; ++k) {
      A const earlier = totals[k];
      total = op(something<Value>(earlier), total);
    }
    return k;
  }
  /// What stands left of the element behind 2^k elements whose total is given.
  template <class Value, class Op>
  __device__ Value prefix_behind(unsigned k, Value total, Op const& op) const {
    k = join(k, total, op);
    return op(prefix<Value>(k, op), total);
  }
};

/// The elements of a chunk behind the `head` places of the first tile that are in front of it.
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

  __device__ bool has_whole(std::size_t i, std::size_t count) const { return i >= head && in.has_whole(i - head, count); }
  template <unsigned items>
  __device__ void load_whole(std::size_t i, lane_items<items>& x) const {
    typename Source::template lane_items<items> elements;
    in.template load_whole<items>(i - head, elements);
#pragma unroll
    for (unsigned j = 0; j < items; ++j) x.value[j] = something<accumulator>(in.template item<items>(elements, j, i - head));
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
  /// What stands left of all tiles that agree with the first one in the digits from `first` on.
  __device__ accumulator left(unsigned first) const {
    return start.template prefix<accumulator>(first, op);
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

/// Where the results of a chunk go: behind as many places.
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
/// Only the total is wanted.
struct no_results {
  static constexpr bool stores = false;
};

/// The numbers of a chunk's tiles, as those of the whole stream modulo 2^30.
template <class Shape, class LookBack>
struct chunk_tiles {
  static constexpr unsigned warp_digits = std::bit_width(Shape::chunk) - 1, tile_digits = std::bit_width(Shape::size) - 1;
  static constexpr unsigned digits = tile_digits + LookBack::tile_digits;

  std::size_t end;       ///< where the next chunk begins, counted from the start of the first tile
  unsigned first, last;  ///< the last one counted from the first

  template <class Source>
  __device__ explicit chunk_tiles(Source const& in)
      : end(in.head + in.in.size),
        first(static_cast<unsigned>(in.start.position >> tile_digits) % LookBack::most_tiles),
        last(static_cast<unsigned>(end >> tile_digits)) {}

  /// Where tiles with these numbers leave their totals: the group of 32 of the first one has the first places.
  template <class A>
  __device__ tile_totals<A> totals(workspace_words const& workspace, unsigned stamp) const {
    tile_totals<A> t = workspace.totals<A>(stamp);
    t.words -= first / 32 * std::size_t{32} * t.size;
    return t;
  }
};

/// The new carry, in `totals`, as the block of the last tile finds it out.
template <class A, class Op>
struct new_carry {
  using value = chunk_value<Op, A>;
  global<A> totals;

  __device__ void operator()(unsigned k, value const& total) const { totals[k] = value_of(total); }

  /// Called by a warp: the digits of warps and tiles. `beside` are the siblings of the last tile's chunks.
  template <class Tiles, class LookBack, unsigned levels, class Joined>
  __device__ void put_tiles(Tiles const& tiles, LookBack const& earlier, value const& in_group,
                            siblings<value, levels> const& beside, unsigned lane, Joined const& op) const {
    unsigned const place = static_cast<unsigned>(tiles.end >> tiles.warp_digits) % (1U << levels);
#pragma unroll
    for (unsigned k = 0; k < levels; ++k)
      if (lane == place && (place >> k & 1) != 0) (*this)(tiles.warp_digits + k, beside.total[k]);
    earlier.split(tiles.first + tiles.last, in_group, op, [&](unsigned k, value const& a) { (*this)(tiles.tile_digits + k, a); });
  }

  /// Called by a warp when all those are there: the digits that are larger than any look-back has, and the prefix. `all` is the
  /// total of 2^digits elements, if they end here.
  template <class Joined>
  __device__ void complete(chunk_start<A> const& start, std::size_t n, unsigned digits, value all, unsigned lane,
                           Joined const& op) const {
    std::size_t const end = start.position + n;
    if ((start.position ^ end) >> digits != 0) {
      digits = start.join(digits, all, op);
      if (lane == 0) (*this)(digits, all);
    }
    for (unsigned k = lane; k < 64; k += 32) {
      if (k < digits || (start.position >> k & 1) == 0) continue;
      A const unchanged = start.totals[k];
      totals[k] = unchanged;
    }
    __syncwarp();  // all digits are there
    value const prefix = chunk_start<A>{end, totals}.template prefix<value>(0, op);
    if (lane == 0) (*this)(carry_prefix, prefix);
  }
};

/// The prefixes around a tile, also around the last one for which the look-back has a number.
template <class A, class Total, class Op>
__device__ tile_prefixes<A, Op> prefixes_around(unsigned tile, unsigned digits, A const& in_group, chunk_start<Total> const& start,
                                                lookback<A, Op>& earlier, Op const& op) {
  tile_prefixes<A, Op> around = earlier.inside(tile, in_group, op);
  if (tile + 1 == earlier.most_tiles)
    around.after = prefix_of<A, Op>(start.prefix_behind(digits, earlier.total_of_all(op), op), true);
  return around;
}

/// Blocks: persistent, tiles by ticket. `next` is not where `in.start` reads: other blocks may still be about to.
template <scan_kind kind, class Shape, class Source, class Sink>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_chunk(Source in, Sink out, scan_start<typename Source::accumulator> start,
               new_carry<typename Source::total, typename Source::inner> next, workspace_words workspace) {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  using look_back = lookback<A, Op>;
  __shared__ shared_values<A, Shape::warps> totals;
  __shared__ shared_values<A, Shape::warps + 1> bases;
  __shared__ shared_values<A, look_back::memory_size> lookback_memory;
  __shared__ shared<ticket, 1> drawn;
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  chunk_tiles<Shape, look_back> const tiles(in);
  Op const op = in.op;

  wait_for_earlier_work();
  if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  auto const carried = [&](unsigned k, std::size_t i, unsigned place) {
    return in.start.template carried<typename Source::inner>(tiles.tile_digits + k, i, place);
  };
  look_back earlier(tiles.template totals<A>(workspace, mine.stamp), lane, in.left(tiles.digits), true, lookback_memory);
  if (warp == 0 && mine.tile <= tiles.last) earlier.resume(tiles.first, carried, op);
  while (mine.tile <= tiles.last) {
    unsigned const tile = tiles.first + mine.tile;
    bool const is_last = mine.tile == tiles.last;
    warp_chunk<Shape, Source> chunk(std::size_t{mine.tile} * Shape::size + warp * std::size_t{Shape::chunk}, lane);
    chunk.load(in);
    A const total = chunk.up(in, op);
    if (lane == 0) totals[warp] = total;
    if (is_last) chunk.split(in, tiles.end, op, next);
    __syncthreads();  // totals[w] is the total of chunk w
    if (warp == 0) {
      siblings<A, Shape::warp_levels> beside;
      A const one = totals[lane % Shape::warps];
      A const own = butterfly<Shape::warp_levels>(one, beside, op);
      if (lane == 0) earlier.publish(tile, own);
      if (mine.tile == 0 && lane < tile % 32) earlier.publish(tile / 32 * 32 + lane, carried(0, lane, tile % 32));
      if (Sink::stores || is_last) {
        A const in_group = earlier.template reach<!Sink::stores>(tile, own, op);
        if (is_last) next.put_tiles(tiles, earlier, in_group, beside, lane, op);
        auto [before, after] = prefixes_around(tile, tiles.digits, in_group, in.start, earlier, op);
        beside.append_to(before, lane, op);
        if (lane < Shape::warps) bases[lane] = before.value();
        if (lane == 0) bases[Shape::warps] = after.value();
      }
      if (lane == 0) drawn[0] = draw_ticket(workspace);  // not before: a tile that waits in a block delays all later ones
    }
    __syncthreads();  // bases[w] stands left of chunk w, the next ticket is drawn, and the new carry has all digits of tiles
    if (warp == 0 && is_last) next.complete(in.start, in.in.size, tiles.digits, earlier.total_of_all(op), lane, op);
    if constexpr (Sink::stores) {
      A const base = bases[warp], behind = bases[warp + 1];
      chunk.template down<kind>(in, out, prefix_of<A, Op>(base, true), prefix_of<A, Op>(behind, true), start, op);
    }
    mine = drawn[0];
    __syncthreads();  // the totals and bases of this tile have been read, and the ticket
  }
  if (threadIdx.x == 0) leave(workspace, mine.stamp);
}

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
