/// Reductions of segments that are long on average, with the bits of reduce.hpp.
/// One read of elements and offsets, one store of each result · 1 launch
/// docs/design/0013-cuda-verbs.md
///
/// A range has equal numbers of elements and ends of segments in all, and one warp, which needs no
/// other and no shared memory for elements. Borders of ranges move to the right as those of tiles
/// do. The warp takes 32 segments at a time: first their chunks, each loaded as rows; then the
/// items after the last chunks, packed so that each step has 32 of them, of any segments; then a
/// lane for each segment. Of segments that cross borders, the totals of chunks are published, and
/// the range that has the end makes the result, after all that it publishes itself (levels.hpp).
#pragma once

#include <upsweep/cuda/segments/call.hpp>
#include <upsweep/cuda/segments/levels.hpp>

#include <cstddef>
#include <type_traits>

namespace upsweep::device {

// The part of the input that one warp has: segments, whole or not.

/// What one range has of a segment, in one lane. Positions count from the range's first element.
struct own_segment {
  std::size_t begin = 0;                ///< of the segment, in the whole input
  unsigned at = 0, size = 0;            ///< of the elements in the range
  bool is_whole = false, ends = false;  ///< all elements are here; the last one is
};

/// The range of a warp.
template <class Shape, class Borders>
class own_range {
 public:
  /// Before it are `work` elements and ends of segments, and in it `size`.
  __device__ own_range(Borders const& borders, std::size_t n, std::size_t count, std::size_t work,
                       std::size_t size, unsigned lane)
      : borders_(borders), n_(n) {
    std::size_t const all = n + count;
    tile_side sides[2];
    find_sides<Shape::chunk>(borders, n, count, {work, work + size < all ? work + size : all},
                             sides, lane);
    auto const& [left, right] = sides;
    first_ = left.border;
    begin_ = left.begin;
    segment_ = left.segment;
    if (right.segment < left.segment || right.segment - left.segment > size ||
        right.border < left.border)
      return;  // the offsets are wrong
    size_ = static_cast<unsigned>(right.border - left.border);
    ends_ = static_cast<unsigned>(right.segment - left.segment);
    count_ = ends_ + (right.begin < right.position ? 1 : 0);
    if (right.end <= right.border) ends_ = count_;
  }
  /// The first element.
  [[nodiscard]] __device__ std::size_t first() const { return first_; }
  /// Segments with an element or their end here.
  [[nodiscard]] __device__ unsigned count() const { return count_; }
  /// The number of segment j in the whole input.
  [[nodiscard]] __device__ std::size_t number(unsigned j) const { return segment_ + j; }
  /// Segment j; without elements if there is none.
  [[nodiscard]] __device__ own_segment segment(unsigned j) const {
    own_segment s;
    if (j >= count_) return s;
    bool const is_rest = j == 0 && begin_ < first_;  // of what earlier ranges have begun
    unsigned const end = place_of(number(j) + 1);
    s.at = is_rest ? 0 : place_of(number(j));
    s.begin = is_rest ? begin_ : first_ + s.at;
    s.size = end > s.at ? end - s.at : 0;
    s.ends = j < ends_;
    s.is_whole = s.ends && !is_rest;
    return s;
  }

 private:
  /// Where segment k begins, or a border of this range if outside.
  [[nodiscard]] __device__ unsigned place_of(std::size_t k) const {
    std::size_t const at = borders_(k, n_);
    return at < first_ ? 0 : at - first_ < size_ ? static_cast<unsigned>(at - first_) : size_;
  }

  Borders const& borders_;
  std::size_t n_, first_, begin_, segment_;
  unsigned size_ = 0, count_ = 0, ends_ = 0;  ///< the first ends_ of the segments end here
};

/// Numbers for `count` parts in each lane, those of lane 0 first.
class numbered_parts {
 public:
  __device__ numbered_parts(unsigned count, unsigned lane) : first_(count) {
#pragma unroll
    for (unsigned k = 1; k < 32; k *= 2) {
      unsigned const before = simt::shuffle_up(whole_warp, first_, k);
      if (lane >= k) first_ += before;
    }
    all_ = simt::shuffle(whole_warp, first_, 31);
    first_ -= count;
  }
  [[nodiscard]] __device__ unsigned all() const { return all_; }
  /// The number of this lane's first part.
  [[nodiscard]] __device__ unsigned first() const { return first_; }
  /// The lane that has the part with this number, less than all().
  [[nodiscard]] __device__ unsigned lane_of(unsigned number) const {
    unsigned lane = 0;
#pragma unroll
    for (unsigned k = 16; k > 0; k /= 2)
      if (simt::shuffle(whole_warp, first_, static_cast<int>(lane + k)) <= number) lane += k;
    return lane;
  }

 private:
  unsigned first_, all_;
};

/// A sequence of totals: lane k keeps that of the last whole block of 2^k of them.
template <class A, class Op>
class running_blocks {
 public:
  __device__ running_blocks(unsigned lane, Op const& op) : lane_(lane), op_(op) {}
  __device__ void push(A total) {
    unsigned level = 0;
    for (; (count_ >> level & 1) != 0; ++level)
      total = op_(simt::shuffle(whole_warp, block_, static_cast<int>(level)), total);
    if (count_ == 0 || lane_ == level) block_ = total;
    ++count_;
  }
  [[nodiscard]] __device__ prefix_of<A, Op> total() const {
    prefix_of<A, Op> result(A{}, false);
    for (unsigned k = 32; k-- > 0;) {
      if ((count_ >> k & 1) == 0) continue;
      result.append(simt::shuffle(whole_warp, block_, static_cast<int>(k)), op_);
    }
    return result;
  }

 private:
  unsigned lane_, count_ = 0;
  A block_;
  Op const& op_;
};

/// As for_each_digit, of numbers in registers: held[2^k] and those after it are the block of 2^k.
/// So all of them can be loaded before the first is used.
template <unsigned levels, class A, unsigned size, class Op, class Take>
__device__ void for_each_held(A const (&held)[size], unsigned count, Op const& op,
                              Take const& take) {
  if constexpr (levels > 0) {
    constexpr unsigned k = levels - 1;
    if ((count >> k & 1) != 0)
      take(block_of<k, A>([&](unsigned i) -> A { return held[i]; }, 1U << k, op), k);
    for_each_held<k>(held, count, op, take);
  }
}

/// Up to 32 segments of a range, fewer of large accumulators, one in each lane.
template <class Shape, class Input, class Op, class A>
class segment_round {
 public:
  using element_type = typename Input::element;
  static constexpr unsigned segments = sizeof(A) <= 4 ? 32 : 128 / sizeof(A);
  /// The totals of the items after the last whole chunk of each segment.
  using memory = boxed<A>[31 * segments];
  static constexpr unsigned item = Shape::item, chunk = Shape::chunk;

  /// The range begins at `base`; `mine` is the segment of this lane, without elements if there is
  /// none.
  __device__ segment_round(Input const& in, Op const& op, std::size_t base, own_segment const& mine,
                           unsigned lane)
      : in_(in), op_(op), base_(base), mine_(mine), lane_(lane) {}

  /// The totals of the segments' whole chunks, of those in other ranges none. Calls
  /// publish(begin, chunk, total) in one lane for each chunk of a segment that is not whole, and
  /// begins at `begin` of the whole input.
  template <class Publish>
  [[nodiscard]] __device__ prefix_of<A, Op> total_of_chunks(Publish const& publish) const {
    prefix_of<A, Op> result(A{}, false);
    unsigned waiting = __ballot_sync(whole_warp, mine_.size >= chunk);
    for (; waiting != 0; waiting &= waiting - 1) {
      int const source = __ffs(static_cast<int>(waiting)) - 1;
      own_segment const s = simt::shuffle(whole_warp, mine_, source);
      running_blocks<A, Op> blocks(lane_, op_);
      for (unsigned c = 0; c < s.size / chunk; ++c) {
        A row[item];
        std::size_t const at = base_ + s.at + c * chunk + lane_;
#pragma unroll
        for (unsigned r = 0; r < item; ++r) row[r] = element(at + r * 32, s);
        A const total = rows_total<item>(row, lane_, op_);
        if (s.is_whole)
          blocks.push(total);
        else if (lane_ == 0)
          publish(s.begin, (at - s.begin) / chunk, total);
      }
      if (!s.is_whole) continue;
      auto const total = blocks.total();
      if (static_cast<int>(lane_) == source) result = total;
    }
    return result;
  }

  /// Stores the totals of all items after the last whole chunks.
  __device__ void total_items(memory& totals) {
    unsigned const chunked = mine_.size / chunk * chunk, at = mine_.at + chunked,
                   count = (mine_.size - chunked) / item;
    numbered_parts const items(count, lane_);
    unsigned const all = items.all();
    first_ = items.first();
    for (unsigned g = 0; g < all; g += 32) {
      unsigned const number = g + lane_ < all ? g + lane_ : all - 1, source = items.lane_of(number);
      unsigned const place =
          simt::shuffle(whole_warp, at, static_cast<int>(source)) +
          (number - simt::shuffle(whole_warp, first_, static_cast<int>(source))) * item;
      A row[item];
      std::size_t index = 0;  // of the item's first element in its segment
      if constexpr (lifts_by_index<Op, element_type>)
        index = base_ + place - simt::shuffle(whole_warp, mine_.begin, static_cast<int>(source));
#pragma unroll
      for (unsigned r = 0; r < item; ++r) {  // lane l of each `item` lanes has element l of item r
        std::size_t of_row = 0;
        if constexpr (lifts_by_index<Op, element_type>)
          of_row = simt::shuffle(whole_warp, index, static_cast<int>(r), int{item});
        unsigned const from = simt::shuffle(whole_warp, place, static_cast<int>(r), int{item});
        element_type const x = in_.first[base_ + (from + lane_ % item)];
        row[r] = detail::lift(op_, x, of_row + lane_ % item);
      }
      halve_rows(row, lane_, op_);
      unsigned const to = g + lane_ / item * item + mirrored<item>(lane_ % item);
      if (to < all) totals[to] = row[0];
    }
    __syncwarp();  // the totals are complete
  }

  /// Calls take(total, k) for the blocks of this lane's segment after its last whole chunk: 2^k
  /// elements, the largest first.
  template <class Take>
  __device__ void for_each_rest(memory const& totals, Take const& take) const {
    unsigned const rest = mine_.size % item;
    for_each_digit<5, A>([&](unsigned i) -> A { return totals[i]; }, first_,
                         mine_.size % chunk / item, op_,
                         [&](A const& total, unsigned k) { take(total, k + Shape::item_log2); });
    std::size_t const at = base_ + mine_.at + (mine_.size - rest);
    if constexpr (!std::is_arithmetic_v<A>) {
      for_each_digit<Shape::item_log2, A>([&](unsigned i) -> A { return element(at + i, mine_); },
                                          0, rest, op_, take);
    } else {
      A held[item];
#pragma unroll
      for (unsigned k = Shape::item_log2; k-- > 0;) {
        if ((rest >> k & 1) == 0) continue;
        std::size_t const from = at + (rest >> (k + 1) << (k + 1));
#pragma unroll
        for (unsigned i = 0; i < 1U << k; ++i) held[(1U << k) + i] = element(from + i, mine_);
      }
      for_each_held<Shape::item_log2>(held, rest, op_, take);
    }
  }

 private:
  __device__ A element(std::size_t at, own_segment const& s) const {
    element_type const x = in_.first[at];
    return detail::lift(op_, x, at - s.begin);
  }

  Input const& in_;
  Op const& op_;
  std::size_t base_;
  own_segment mine_;
  unsigned lane_, first_ = 0;
};

/// What a range, which begins at `at`, has to do for segments that cross its borders when it has
/// published all their chunks: publish larger blocks, and make the result of the one that ends
/// here. `first` and `last` are its parts of them, or without elements; they may be the same. Calls
/// finish(chunks, front) in the whole warp if the first one ends here: `chunks` of it have the
/// total front(), which waits for them.
template <class Shape, class A, class Op, class Finish>
__device__ void finish_crossing(segment_levels<Shape, A> const& levels, unsigned epoch,
                                std::size_t at, own_segment const& first, own_segment const& last,
                                Op const& op, unsigned lane, Finish const& finish) {
  auto const chunks_before = [&](own_segment const& s) {
    return (at + s.at - s.begin) / Shape::chunk;
  };
  auto const look_back = [&](own_segment const& s, auto const& take) {
    crossing_chunks<Shape, A, Op>(levels, epoch, s.begin, lane, op)
        .template look_back<true>(chunks_before(s), s.size / Shape::chunk, take);
  };
  if (!last.ends && last.begin >= at && last.size >= 32 * Shape::chunk)
    look_back(last, [](unsigned, A const&) {});
  if (first.size == 0 || first.begin >= at) return;
  std::size_t const chunks = chunks_before(first) + first.size / Shape::chunk;
  auto const front = [&] {
    A found{};
    look_back(first, [&](unsigned, A const& total) { found = total; });  // in one lane
    return prefix_of<A, Op>(simt::shuffle(whole_warp, found, static_cast<int>(chunks % 32)), true);
  };
  if (first.ends)
    finish(chunks, front);
  else
    (void)front();
}

/// Persistent blocks, whose warps draw ranges of `size` elements and ends of segments.
template <class Shape, class Input, class Borders, class Results, class A>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce_long_segments(segment_call call, Input in, Borders borders, Results results,
                         segment_levels<Shape, A> levels, workspace_words workspace,
                         std::size_t size) {
  using operation = std::remove_cvref_t<decltype(results.op)>;
  using round = segment_round<Shape, Input, operation, A>;
  using crossing = crossing_chunks<Shape, A, operation>;
  __shared__ typename round::memory totals[Shape::warps];
  __shared__ boxed<A> rests[Shape::warps][Shape::chunk_log2];
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  auto const& op = results.op;
  wait_for_earlier_work();
  std::size_t const n = call.n.size(), count = call.count.size(), work = n + count;
  ticket drawn{};
  for (;;) {
    if (lane == 0) drawn = draw_ticket(workspace);
    drawn = simt::shuffle(whole_warp, drawn, 0);
    std::size_t const from = drawn.tile * size;
    if (from >= work) break;
    own_range<Shape, Borders> const range(borders, n, count, from, size, lane);
    for (unsigned j = 0; j < range.count(); j += round::segments) {
      own_segment const mine = lane < round::segments ? range.segment(j + lane) : own_segment{};
      round here(in, op, range.first(), mine, lane);
      auto total = here.total_of_chunks([&](std::size_t begin, std::size_t chunk, A const& x) {
        crossing(levels, drawn.epoch, begin, lane, op).publish(0, chunk, x);
      });
      here.total_items(totals[warp]);
      std::size_t const k = range.number(j + lane);
      if (mine.is_whole && mine.size == 0) {
        results.store_empty(k);
      } else if (mine.is_whole) {
        here.for_each_rest(totals[warp], [&](A const& next, unsigned) { total.append(next, op); });
        results.store(k, total.value());
      } else if (mine.ends) {  // the first one
        here.for_each_rest(totals[warp],
                           [&](A const& next, unsigned digit) { rests[warp][digit] = next; });
      }
      __syncwarp();  // nobody reads these totals any more; the rest of the first segment is there
    }
    if (range.count() == 0) continue;
    own_segment const first = range.segment(0);
    boxed<A> const* const rest = rests[warp];
    finish_crossing(levels, drawn.epoch, range.first(), first, range.segment(range.count() - 1), op,
                    lane, [&](std::size_t, auto const& front) {
                      auto total = front();
                      for (unsigned k = Shape::chunk_log2; k-- > 0;) {
                        if ((first.size >> k & 1) == 0) continue;
                        A const next = rest[k];
                        total.append(next, op);
                      }
                      if (lane == 0) results.store(range.number(0), total.value());
                    });
    __syncwarp();  // nobody reads the rest any more
  }
  __syncthreads();  // no warp draws another range
  if (threadIdx.x == 0) leave(workspace, drawn.epoch);
}

}  // namespace upsweep::device
