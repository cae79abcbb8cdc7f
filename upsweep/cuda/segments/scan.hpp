/// Scans of segments, whatever their lengths: each has the bits of the combine tree over its own
/// elements.
/// One read of elements and offsets, one store of each result · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// Tiles are those of the reductions; each item's thread scans it. Tiles publish the totals of the
/// chunks of segments that cross borders, from which later ones make prefixes (levels.hpp).
#pragma once

#include <upsweep/cuda/device/wave.hpp>
#include <upsweep/cuda/segments/levels.hpp>
#include <upsweep/cuda/segments/tile.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::device {

/// Calls take(i, before, after) for the positions i < count <= 2^log2 of an aligned block with the
/// prefixes before and after element get(at + i). `after` of the block's last position is
/// `whole`, the caller's, since it is no prefix inside the block. Of numbers, groups of eight are
/// straight-line code, in which `batch` elements are loaded at a time: where take() stores over
/// them, one alone would wait for the store before.
template <unsigned log2, unsigned batch, class A, class Get, class Op, class Take>
__device__ void scan_block(Get const& get, unsigned at, unsigned count,
                           prefix_of<A, Op> const& before, prefix_of<A, Op> const& whole,
                           Op const& op, Take const& take) {
  constexpr unsigned group_log2 = !std::is_arithmetic_v<A> ? 0
                                  : log2 < 3               ? log2
                                                           : 3,
                     group = 1U << group_log2, step = batch < group ? batch : group;
  // Of the blocks of 2^k elements: the last one that is complete, and the prefix before the
  // one that is begun.
  A total[log2 + 1];
  prefix_of<A, Op> front[log2 + 1];
#pragma unroll
  for (unsigned k = 0; k <= log2; ++k) front[k] = before;
#pragma unroll 1
  for (unsigned first = 0; first < count; first += group) {
    A loaded[step];
#pragma unroll
    for (unsigned j = 0; j < group; ++j) {
      unsigned const i = first + j;
      if (j > 0 && i >= count) return;
      if (j % step == 0) {
#pragma unroll
        for (unsigned k = 0; k < step; ++k)
          if (k == 0 || i + k < count) loaded[k] = get(at + i + k);
      }
      A next = loaded[j % step];
      prefix_of<A, Op> const now = front[0];
      prefix_of<A, Op> after = whole;
#pragma unroll
      for (unsigned k = 0; k <= log2; ++k) {
        if (k >= group_log2 && j + 1 < group) break;
        unsigned const end = k < group_log2 ? j + 1 : i + 1, low = end & ((2U << k) - 1);
        if (low == 0) next = op(total[k], next);  // a block of 2^(k + 1) is complete
        if (low != 1U << k) continue;             // otherwise 2^k is the largest that ends here
        total[k] = next;
        if (k == log2) continue;
        after = front[k];
        after.append(next, op);
      }
      take(i, now, after);
#pragma unroll
      for (unsigned k = 0; k <= log2; ++k) {
        if (k >= group_log2 && j + 1 < group) break;
        if (((k < group_log2 ? j + 1 : i + 1) & ((1U << k) - 1)) == 0) front[k] = after;
      }
    }
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
  boxed<A> after[Shape::most_elements / Shape::item];          ///< each whole item
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

  /// The totals of the tile's whole chunks.
  __device__ void total_chunks(segment_levels<Shape, A> const& levels, unsigned epoch,
                               unsigned warp, unsigned lane) {
    tile_.total_chunks(warp, lane, results_.op, [&](unsigned j, std::size_t chunk, A const& total) {
      crossing(levels, epoch, j, lane).publish(0, chunk, total);
    });
  }
  /// The prefixes of the chunks of a first segment that is begun. Called by one warp.
  __device__ void look_back(segment_levels<Shape, A> const& levels, unsigned epoch, unsigned lane) {
    crossing(levels, epoch, 0, lane)
        .look_back(tile_.before(0) / Shape::chunk, tile_.end(0) / Shape::chunk,
                   [&](unsigned c, A const& before) { prefixes_.crossing[c] = before; });
  }
  /// The prefix after each whole item, one thread each.
  __device__ void find_prefixes() {
    tile_.for_each_item([&](unsigned w, unsigned at, unsigned j) {
      unsigned const items = (at - tile_.begin(j)) / Shape::item + 1;
      prefix after = prefix_before(j, items / 32);
      tile_.append_items(after, j, items / 32, items % 32, results_.op);
      prefixes_.after[w] = after.value();
    });
  }
  /// Replaces elements by results: one thread for each whole item, and for what is after the last
  /// one of each segment.
  __device__ void scan() {
    tile_.for_each_item([&](unsigned w, unsigned at, unsigned j) {
      A const whole = prefixes_.after[w];
      scan_from<item_batch>(j, at, Shape::item, prefix(whole, true));
    });
    for (unsigned j = threadIdx.x; j < tile_.count(); j += Shape::threads) {
      if (tile_.is_empty(j)) continue;
      unsigned const rest = (tile_.end(j) - tile_.begin(j)) % Shape::item;
      if (rest > 0) scan_from<1>(j, tile_.end(j) - rest, rest, prefix(A{}, false));
    }
  }
  /// Stores the results.
  __device__ void store() const {
    tile_.for_each_slot([&](std::size_t place, slot const& x) {
      U const result = x.result;
      results_.out.first[tile_.first() + place] = result;
    });
  }

 private:
  __device__ crossing_chunks<Shape, A, operation> crossing(segment_levels<Shape, A> const& levels,
                                                           unsigned epoch, unsigned j,
                                                           unsigned lane) const {
    return {levels, epoch, tile_.global_begin(j), lane, results_.op};
  }
  /// The prefix of the first `chunks` chunks of segment j that are here.
  __device__ prefix prefix_before(unsigned j, unsigned chunks) const {
    if (tile_.before(j) > 0) {
      A const value = prefixes_.crossing[chunks];
      return prefix(value, true);
    }
    prefix total(A{}, false);
    tile_.append_chunks(total, j, chunks, results_.op);
    return total;
  }
  // For what is after the last item, the tests of more loads took longer than the waits.
  static constexpr unsigned item_batch = !std::is_arithmetic_v<A> ? 1
                                         : Shape::item < 4        ? Shape::item
                                                                  : 4;
  /// The results of `count` elements of segment j from `at` on, where an item begins.
  template <unsigned batch>
  __device__ void scan_from(unsigned j, unsigned at, unsigned count, prefix const& whole) {
    bool const is_first = at == tile_.begin(j);
    prefix before(A{}, false);
    if (is_first)
      before = prefix_before(j, 0);
    else {
      A const value = prefixes_.after[at / Shape::item - 1];
      before = prefix(value, true);
    }
    bool const begins = is_first && tile_.before(j) == 0;
    auto const slots = tile_.slots(at);
    scan_block<Shape::item_log2, batch, A>(
        tile_.elements_of(j, at, results_.op), at, count, before, whole, results_.op,
        [&](unsigned i, prefix const& earlier, prefix const& with) {
          auto& to = slots[at + i].result;
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

/// A wave, or persistent blocks, which draw tiles.
template <scan_kind kind, bool wave, class Shape, class Input, class U, class Borders,
          class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_segments(segment_call call, Input in, Borders borders, Results results,
                  segment_levels<Shape, A> levels, tile_tickets<wave> tickets) {
  using scan = scanned_tile<kind, Shape, typename Input::element, U, A, Results>;
  using tile_of = typename scan::tile;
  __shared__ typename tile_of::memory shared[1];
  __shared__ segment_prefixes<Shape, A> prefixes[1];
  __shared__ ticket drawn[1];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), count = call.count.size(), work = n + count;
  ticket mine{};  // of a wave it is on its way while the borders are searched for
  if (threadIdx.x == 0) mine = draw_ticket(tickets.workspace);
  unsigned t = tickets.first(mine, drawn[0]), epoch = wave ? 0 : drawn[0].epoch;
  while (std::size_t{t} * Shape::size < work) {
    find_tile<Shape>(borders, n, count, t, shared[0].sides, warp, lane);
    if (wave && threadIdx.x == 0) drawn[0] = mine;
    __syncthreads();  // the borders of the tile and the epoch are known
    if constexpr (wave) epoch = drawn[0].epoch;
    tile_of tile(shared[0]);
    tile.load(in, borders, n);
    __syncthreads();  // the tile is loaded
    scan here(tile, prefixes[0], results);
    tile.find_items();
    tile.total_items(results.op);
    __syncthreads();  // the totals of items are complete
    here.total_chunks(levels, epoch, warp, lane);
    __syncthreads();  // the totals of chunks are complete
    if (tile.is_begun()) {
      if (warp == 0) here.look_back(levels, epoch, lane);
      __syncthreads();  // the prefixes of chunks that cross are complete
    }
    here.find_prefixes();
    __syncthreads();  // the prefixes of items are complete
    here.scan();
    if (threadIdx.x == 0) drawn[0].tile = tickets.next();
    __syncthreads();  // all elements have become results
    here.store();
    t = drawn[0].tile;
    __syncthreads();  // nobody reads this tile any more
  }
  if (threadIdx.x == 0) tickets.leave(wave ? mine : ticket{0, epoch});
}

}  // namespace upsweep::device
