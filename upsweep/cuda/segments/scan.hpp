/// Scans of segments, whatever their lengths: each has the bits of the combine tree over its own
/// elements.
/// Elements of segments that cross tiles are read twice, others once; one store of each result ·
/// 1 launch, or 2 and one for each factor of 32 between the input and a chunk
/// docs/design/0004-cuda.md
///
/// If a segment can cross the border of a tile, totals come first: of the chunks of such segments,
/// then of 32 chunks, of 32 times as many, and so on. From these a tile has the prefix of any chunk
/// after one look at each level. Tiles are those of the reductions; each item's thread scans it.
#pragma once

#include <upsweep/cuda/segments/tile.hpp>

#include <cstddef>

namespace upsweep::device {

/// The totals of blocks of 32^level chunks, in scratch memory as segment_scratch::chunks() has
/// those of chunks: each window of as many elements has one place.
template <class Shape, class A>
struct segment_levels {
  word* words;
  std::size_t n;    ///< at most
  unsigned levels;  ///< whose blocks the input can have

  /// The elements of a block.
  [[nodiscard]] static constexpr std::size_t size(unsigned level) {
    return std::size_t{Shape::chunk} << (5 * level);
  }
  [[nodiscard]] static constexpr unsigned levels_of(std::size_t n) {
    unsigned count = 0;
    while (count < 10 && size(count) <= n) ++count;
    return count;
  }
  [[nodiscard]] static constexpr std::size_t needed(std::size_t n, unsigned levels) {
    std::size_t total = 0;
    for (unsigned k = 0; k < levels; ++k) total += n / size(k) + 1;
    return total * words_of<A>;
  }
  __device__ tile_totals<A> of(unsigned level) const { return {words + needed(n, level), 0}; }

  /// The prefix of the first `chunks` chunks of the segment that begins at `begin`, in every lane.
  template <class Op>
  __device__ prefix_of<A, Op> prefix(std::size_t begin, std::size_t chunks, unsigned lane,
                                     Op const& op) const {
    prefix_of<A, Op> total(A{}, false);
    bool there = false;
    for (unsigned level = levels; level-- > 0;) {
      std::size_t const blocks = chunks >> (5 * level);
      auto const digit = static_cast<unsigned>(blocks % 32);
      if (digit == 0) continue;
      std::size_t const first = begin / size(level) + (blocks - digit);
      A const one = stored_at(of(level), first + (lane < digit ? lane : 0));
      siblings<A> beside;
      (void)butterfly<5>(one, beside, op);
      beside.append_to(total, lane, op);
      total = total.from_lane(digit, there);
      there = true;
    }
    return total;
  }
};

/// The segments of the input between two of them, for one warp.
template <class Borders>
struct segment_range {
  Borders borders;
  std::size_t n, first, last;
  unsigned lane;

  [[nodiscard]] __device__ std::size_t begin(std::size_t j) const { return borders(j, n); }
  [[nodiscard]] __device__ std::size_t end(std::size_t j) const { return borders(j + 1, n); }
  [[nodiscard]] __device__ std::size_t segment_of(std::size_t place) const {
    std::size_t found[1] = {first + 1}, end[1] = {last + 1};
    find_first_without(found, end, lane,
                       [&](unsigned, std::size_t k) { return borders(k, n) <= place; });
    return found[0] - 1;
  }
};

/// Totals of the whole blocks of one level of segments that cross borders of tiles. A warp takes
/// `windows` of them in a row, so that the search for segments begins with few.
template <unsigned warps, class Shape, class Input, class Borders, class Op, class A>
__global__ void __launch_bounds__(32 * warps)
    total_segment_blocks(segment_call call, Input in, Borders borders, Op op,
                         segment_levels<Shape, A> levels, unsigned level, unsigned windows) {
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), count = call.count.size(), size = levels.size(level),
                    all = n / size, run = std::size_t{blockIdx.x} * warps + warp;
  if (count == 0 || run * windows >= all) return;
  std::size_t const stop = run * windows + windows < all ? run * windows + windows : all;
  segment_range<Borders> segments{borders, n, 0, count - 1, lane};
  segments.first = segments.segment_of(run * windows * size);
  segments.last = segments.segment_of(stop * size - 1);
  for (std::size_t w = run * windows; w < stop; ++w) {
    auto const block = block_in<std::size_t>(segments, w * size, size);
    std::size_t const begin = segments.begin(block.j), end = segments.end(block.j);
    if (!block.exists || block.at < begin) continue;  // it is not if the offsets are wrong
    if ((begin + block.j) / Shape::size == (end + block.j) / Shape::size) continue;
    A total;
    if (level == 0) {
      A row[Shape::item];
#pragma unroll
      for (unsigned r = 0; r < Shape::item; ++r) {
        std::size_t const at = block.at + r * 32 + lane;
        typename Input::element const x = in.first[at];
        row[r] = detail::lift(op, x, at - begin);
      }
      total = rows_total<Shape::item>(row, lane, op);
    } else {
      std::size_t const below = levels.size(level - 1);
      A row[1] = {
          stored_at(levels.of(level - 1), begin / below + (block.at - begin) / below + lane)};
      total = rows_total<1>(row, lane, op);
    }
    if (lane == 0)
      levels.of(level).publish(static_cast<unsigned>(begin / size + (block.at - begin) / size),
                               total);
  }
}

/// Calls take(i, before, after) for the positions i < count <= 2^log2 of an aligned block with the
/// prefixes in front of and behind element get(at + i). `after` of the block's last position is
/// `whole`, the caller's, since it is no prefix inside the block.
template <unsigned log2, class A, class Get, class Op, class Take>
__device__ void scan_block(Get const& get, unsigned at, unsigned count,
                           prefix_of<A, Op> const& before, prefix_of<A, Op> const& whole,
                           Op const& op, Take const& take) {
  constexpr unsigned size = 1U << log2;
  [[maybe_unused]] constexpr unsigned unrolled = std::is_arithmetic_v<A> ? size : 1;
  // Of the blocks of 2^k elements: the last one that is complete, and the prefix in front of the
  // one that is begun.
  A total[log2 + 1];
  prefix_of<A, Op> front[log2 + 1];
#pragma unroll
  for (unsigned k = 0; k <= log2; ++k) front[k] = before;
#pragma unroll(unrolled)
  for (unsigned i = 0; i < size; ++i) {
    if (i >= count) break;
    A next = get(at + i);
    prefix_of<A, Op> const now = front[0];
    prefix_of<A, Op> after = whole;
#pragma unroll
    for (unsigned k = 0; k <= log2; ++k) {
      unsigned const low = (i + 1) & ((2U << k) - 1);
      if (low == 0) next = op(total[k], next);  // a block of 2^(k + 1) is complete
      if (low != 1U << k) continue;             // otherwise 2^k is the largest that ends here
      total[k] = next;
      if (k == log2) continue;
      after = front[k];
      after.append(next, op);
    }
    take(i, now, after);
#pragma unroll
    for (unsigned k = 0; k <= log2; ++k)
      if (((i + 1) & ((1U << k) - 1)) == 0) front[k] = after;
  }
}

/// An element of a tile, and then its result.
template <class T, class U>
struct segment_slot {
  union {
    boxed<T> element;
    boxed<U> result;
  };
  __device__ operator T() const { return element; }
  __device__ segment_slot& operator=(T const& x) {
    element = x;
    return *this;
  }
};

/// What one tile of a scan has beside the tile itself.
template <class Shape, class A>
struct segment_prefixes {
  boxed<A> behind[Shape::most_elements / Shape::item];         ///< each whole item
  boxed<A> crossing[Shape::most_elements / Shape::chunk + 1];  ///< chunks of the first segment
};

/// The scan of a tile.
template <scan_kind kind, class Shape, class T, class U, class A, class Results>
class scanned_tile {
 public:
  using slot = segment_slot<T, U>;
  using tile = segment_tile<Shape, T, A, slot>;
  using operation = std::remove_cvref_t<decltype(std::declval<Results const&>().op)>;
  using prefix = prefix_of<A, operation>;

  __device__ scanned_tile(tile const& t, segment_prefixes<Shape, A>& prefixes,
                          Results const& results)
      : tile_(t), prefixes_(prefixes), results_(results) {}

  /// The prefixes of the first segment's chunks, if earlier tiles have some of it; one warp each.
  __device__ void look_up(segment_levels<Shape, A> const& levels, unsigned warp, unsigned lane) {
    if (tile_.count() == 0 || tile_.before(0) == 0) return;
    for (unsigned c = warp; c <= tile_.end(0) / Shape::chunk; c += Shape::warps) {
      prefix const p = levels.prefix(tile_.global_begin(0), tile_.before(0) / Shape::chunk + c,
                                     lane, results_.op);
      if (lane == 0) prefixes_.crossing[c] = p.value();
    }
  }
  /// The prefix behind each whole item, one thread each.
  __device__ void find_prefixes() {
    for (unsigned w = threadIdx.x; w < tile_.owned() / Shape::item; w += Shape::threads) {
      auto const item = block_in<unsigned>(tile_, w * Shape::item, Shape::item);
      if (!item.exists) continue;
      unsigned const items = (item.at - tile_.begin(item.j)) / Shape::item + 1;
      prefix behind = in_front(item.j, items / 32);
      tile_.append_items(behind, item.j, items / 32, items % 32, results_.op);
      prefixes_.behind[w] = behind.value();
    }
  }
  /// Replaces elements by results: one thread for each whole item, and for what is behind the last
  /// one of each segment.
  __device__ void scan() {
    for (unsigned w = threadIdx.x; w < tile_.owned() / Shape::item; w += Shape::threads) {
      auto const item = block_in<unsigned>(tile_, w * Shape::item, Shape::item);
      if (!item.exists) continue;
      A const whole = prefixes_.behind[w];
      scan_from(item.j, item.at, Shape::item, prefix(whole, true));
    }
    for (unsigned j = threadIdx.x; j < tile_.count(); j += Shape::threads) {
      if (tile_.is_empty(j)) continue;
      unsigned const rest = (tile_.end(j) - tile_.begin(j)) % Shape::item;
      if (rest > 0) scan_from(j, tile_.end(j) - rest, rest, prefix(A{}, false));
    }
  }
  /// Stores the results.
  __device__ void store() const {
    for (unsigned i = threadIdx.x; i < tile_.owned(); i += Shape::threads) {
      U const result = tile_.slot(i).result;
      results_.out.first[tile_.first() + i] = result;
    }
  }

 private:
  /// The prefix of the first `chunks` chunks of segment j that are here.
  __device__ prefix in_front(unsigned j, unsigned chunks) const {
    if (tile_.before(j) > 0) {
      A const value = prefixes_.crossing[chunks];
      return prefix(value, true);
    }
    prefix total(A{}, false);
    tile_.append_chunks(total, j, chunks, results_.op);
    return total;
  }
  /// The results of `count` elements of segment j from `at` on, where an item begins.
  __device__ void scan_from(unsigned j, unsigned at, unsigned count, prefix const& whole) {
    bool const is_first = at == tile_.begin(j);
    prefix before(A{}, false);
    if (is_first)
      before = in_front(j, 0);
    else {
      A const value = prefixes_.behind[at / Shape::item - 1];
      before = prefix(value, true);
    }
    bool const begins = is_first && tile_.before(j) == 0;
    scan_block<Shape::item_log2, A>(
        tile_.elements_of(j, results_.op), at, count, before, whole, results_.op,
        [&](unsigned i, prefix const& earlier, prefix const& with) {
          auto& to = tile_.slot(at + i).result;
          if constexpr (kind == scan_kind::inclusive)
            to = results_.template result<U>(with.value());
          else
            to = begins && i == 0 ? static_cast<U>(detail::finish(results_.op, results_.empty))
                                  : results_.template result<U>(earlier.value());
        });
  }

  tile const& tile_;
  segment_prefixes<Shape, A>& prefixes_;
  Results const& results_;
};

/// Persistent blocks.
template <scan_kind kind, class Shape, class Input, class U, class Borders, class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_segments(segment_call call, Input in, Borders borders, Results results,
                  segment_levels<Shape, A> levels) {
  using scan = scanned_tile<kind, Shape, typename Input::element, U, A, Results>;
  using tile_of = typename scan::tile;
  __shared__ typename tile_of::memory shared[1];
  __shared__ segment_prefixes<Shape, A> prefixes[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), count = call.count.size(), work = n + count;
  for (std::size_t t = blockIdx.x; t * Shape::size < work; t += gridDim.x) {
    find_tile<Shape>(borders, n, count, t, shared[0].sides, warp, lane);
    __syncthreads();  // the borders of the tile are known
    tile_of tile(shared[0]);
    tile.load(in, borders, n);
    __syncthreads();  // the tile is loaded
    scan here(tile, prefixes[0], results);
    here.look_up(levels, warp, lane);
    tile.total_items(results.op);
    __syncthreads();  // the totals of items are complete
    tile.total_chunks(warp, lane, results.op, [](unsigned, std::size_t, A const&) {});
    __syncthreads();  // the totals of chunks, and the prefixes of those that cross, are complete
    here.find_prefixes();
    __syncthreads();  // the prefixes of items are complete
    here.scan();
    __syncthreads();  // all elements have become results
    here.store();
    __syncthreads();  // nobody reads this tile any more
  }
}

}  // namespace upsweep::device
