/// One tile of segments in a block's shared memory: its elements, the borders of its segments, and
/// the totals of items and chunks.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/segments/call.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

template <class Shape, class T, class A, class Slot = boxed<T>>
struct segment_memory {
  static constexpr unsigned step = items_of<T>, elements = Shape::most_elements + 2 * step;
  Slot staged[elements + elements / 32];
  std::uint16_t border[Shape::size + 2];
  boxed<A> items[Shape::most_elements / Shape::item];
  boxed<A> chunks[Shape::most_elements / Shape::chunk];
  tile_side sides[2];
};

/// The tile's view of its memory, the same in all threads. Positions count from the tile's first
/// element, which is the first of a chunk if the first segment began in an earlier tile.
template <class Shape, class T, class A, class Slot = boxed<T>>
class segment_tile {
 public:
  using memory = segment_memory<Shape, T, A, Slot>;

  __device__ segment_tile(memory& shared) : shared_(shared) {
    left_ = shared.sides[0];
    right_ = shared.sides[1];
    std::size_t const ends = right_.segment - left_.segment;
    bool const are_right = right_.segment >= left_.segment && ends <= Shape::size;  // the offsets
    ends_ = are_right ? static_cast<unsigned>(ends) : 0;
    count_ = are_right ? ends_ + (right_.begin < right_.position ? 1 : 0) : 0;
    owned_ = count_ > 0 && right_.border > left_.border
                 ? static_cast<unsigned>(right_.border - left_.border)
                 : 0;
    before_ = left_.begin < left_.border ? left_.border - left_.begin : 0;
  }

  /// Where the own elements begin in the whole input.
  [[nodiscard]] __device__ std::size_t first() const { return left_.border; }
  /// Segments with an element or their end here.
  [[nodiscard]] __device__ unsigned count() const { return count_; }
  [[nodiscard]] __device__ unsigned owned() const { return owned_; }
  /// The number of segment j in the whole input.
  [[nodiscard]] __device__ std::size_t number(unsigned j) const { return left_.segment + j; }
  [[nodiscard]] __device__ bool is_empty(unsigned j) const { return begin(j) >= end(j); }
  [[nodiscard]] __device__ unsigned begin(unsigned j) const { return shared_.border[j]; }
  [[nodiscard]] __device__ unsigned end(unsigned j) const { return shared_.border[j + 1]; }
  /// The elements of segment j that earlier tiles have.
  [[nodiscard]] __device__ std::size_t before(unsigned j) const { return j == 0 ? before_ : 0; }
  /// Where segment j begins in the whole input.
  [[nodiscard]] __device__ std::size_t global_begin(unsigned j) const {
    return left_.border + begin(j) - before(j);
  }
  [[nodiscard]] __device__ bool ends_here(unsigned j) const {
    return j < ends_ || right_.end <= right_.border;
  }
  /// Whether the first segment has elements here and in earlier tiles.
  [[nodiscard]] __device__ bool is_begun() const {
    return count_ > 0 && before_ > 0 && !is_empty(0);
  }
  /// All elements of segment j are here.
  [[nodiscard]] __device__ bool is_whole(unsigned j) const {
    return before(j) == 0 && ends_here(j);
  }

  /// Loads the own elements, no others, as scans may be in place, and the borders. Vectors of 16
  /// bytes are loaded before any of them is stored, so that all of them are under way together.
  template <class Input, class Borders>
  __device__ void load(Input const& in, Borders const& borders, std::size_t n) {
    for (unsigned j = threadIdx.x; count_ > 0 && j <= count_; j += Shape::threads) {
      std::size_t const at = borders(left_.segment + j, n);
      std::size_t const place = j > 0 && at > left_.border ? at - left_.border : 0;
      shared_.border[j] = static_cast<std::uint16_t>(place < owned_ ? place : owned_);
    }
    constexpr unsigned step = memory::step;
    if (!in.vectors) return load_pieces<1>(in, left_.border, owned_);
    lead_ = static_cast<unsigned>(left_.border % step);
    std::size_t const base = left_.border - lead_;
    unsigned const size = owned_ > 0 ? lead_ + owned_ : 0;
    // Of the first and the last vector maybe not all: those elements have a thread each.
    unsigned const head = threadIdx.x, tail = size / step * step + threadIdx.x;
    bool const has_head = head >= lead_ && head < step && head < size && lead_ > 0,
               has_tail = tail >= lead_ && tail < size;
    T x_head{}, x_tail{};
    if (has_head) x_head = in.first[base + head];
    if (has_tail) x_tail = in.first[base + tail];
    load_pieces<step>(in, base, size);
    if (has_head) shared_.staged[skewed(head)] = x_head;
    if (has_tail) shared_.staged[skewed(tail)] = x_tail;
  }

  /// Finds the whole items, of which each thread keeps its own.
  __device__ void find_items() {
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned const w = threadIdx.x + r * Shape::threads;
      items_[r] = no_item;
      if (w >= owned_ / Shape::item) continue;
      auto const item = block_in<unsigned>(*this, w * Shape::item, Shape::item);
      if (item.exists) items_[r] = item.j << 16 | item.at;
    }
  }
  /// Calls take(w, at, j) for the whole items of this thread: number w begins at `at`, in segment
  /// j.
  template <class Take>
  __device__ void for_each_item(Take const& take) const {
#pragma unroll 1
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned item = items_[0];
#pragma unroll
      for (unsigned k = 1; k < rounds; ++k)
        if (r == k) item = items_[k];
      if (item != no_item) take(threadIdx.x + r * Shape::threads, item & 0xffff, item >> 16);
    }
  }

  /// The segment that has the element at `place`: the last one that begins there or before.
  [[nodiscard]] __device__ unsigned segment_of(unsigned place) const {
    unsigned first = 0, last = count_ - 1;  // begin(first) <= place, and begin(last + 1) > place
    while (first < last) {
      unsigned const middle = (first + last + 1) / 2;
      if (begin(middle) <= place)
        first = middle;
      else
        last = middle - 1;
    }
    return first;
  }
  /// Totals of all whole items, one thread each; that of the item at `place` is number
  /// place / item.
  template <class Op>
  __device__ void total_items(Op const& op) const {
    for_each_item([&](unsigned w, unsigned at, unsigned j) {
      A const total = block_of<Shape::item_log2, A>(elements_of(j, at, op), at, op);
      shared_.items[w] = total;
    });
  }
  /// The same of all whole chunks, one warp each; calls publish(j, chunk, total) in one lane for
  /// chunks of segments of which other tiles have elements.
  template <class Op, class Publish>
  __device__ void total_chunks(unsigned warp, unsigned lane, Op const& op,
                               Publish const& publish) const {
    for (unsigned w = warp; w < owned_ / Shape::chunk; w += Shape::warps) {
      auto const chunk = block_in<unsigned>(*this, w * Shape::chunk, Shape::chunk);
      if (!chunk.exists) continue;
      A total = shared_.items[chunk.at / Shape::item + lane];
#pragma unroll
      for (unsigned k = 0; k < 5; ++k) (void)butterfly_step(k, total, op);
      if (lane != 31) continue;
      shared_.chunks[w] = total;
      if (!is_whole(chunk.j))
        publish(chunk.j, (before(chunk.j) + chunk.at - begin(chunk.j)) / Shape::chunk, total);
    }
  }

  /// Appends to `total` the first `count` items of segment j after `chunks` of its chunks.
  template <class Op>
  __device__ void append_items(prefix_of<A, Op>& total, unsigned j, unsigned chunks, unsigned count,
                               Op const& op) const {
    for_each_digit<5, A>([&](unsigned i) -> A { return shared_.items[i]; },
                         begin(j) / Shape::item + chunks * 32, count, op,
                         [&](A const& next, unsigned) { total.append(next, op); });
  }
  /// The first `count` chunks of segment j, all of which are here.
  template <class Op>
  __device__ void append_chunks(prefix_of<A, Op>& total, unsigned j, unsigned count,
                                Op const& op) const {
    constexpr unsigned levels = level_of<Shape::most_elements / Shape::chunk> + 1;
    for_each_digit<levels, A>([&](unsigned i) -> A { return shared_.chunks[i]; },
                              begin(j) / Shape::chunk, count, op,
                              [&](A const& next, unsigned) { total.append(next, op); });
  }

  /// Calls take(total, k) for the blocks of the elements of segment j after its last whole chunk:
  /// 2^k elements, the largest first.
  template <class Op, class Take>
  __device__ void for_each_rest(unsigned j, Op const& op, Take const& take) const {
    unsigned const size = end(j) - begin(j), rest = size % Shape::chunk,
                   at = begin(j) + size - rest;
    for_each_digit<5, A>([&](unsigned i) -> A { return shared_.items[i]; }, at / Shape::item,
                         rest / Shape::item, op,
                         [&](A const& total, unsigned k) { take(total, k + Shape::item_log2); });
    unsigned const last = end(j) - rest % Shape::item;
    for_each_digit<Shape::item_log2, A>(elements_of(j, last, op), last, rest % Shape::item, op,
                                        take);
  }
  /// The total of segment j, which is whole and not empty.
  template <class Op>
  [[nodiscard]] __device__ A total_of(unsigned j, Op const& op) const {
    prefix_of<A, Op> total(A{}, false);
    append_chunks(total, j, (end(j) - begin(j)) / Shape::chunk, op);
    for_each_rest(j, op, [&](A const& next, unsigned) { total.append(next, op); });
    return total.value();
  }

  /// The elements of segment j by their position, as accumulators: up to 32 from `first` on.
  template <class Op>
  [[nodiscard]] __device__ auto elements_of(unsigned j, unsigned first, Op const& op) const {
    return [from = slots(first), index = before(j) - begin(j), &op](unsigned place) -> A {
      T const x = from[place];
      return detail::lift(op, x, index + place);
    };
  }
  /// Where up to 32 elements from position `first` on are staged. The skew grows at most once among
  /// them, `room` elements after the first.
  struct slot_range {
    Slot* slots;
    unsigned first, room;

    __device__ Slot& operator[](unsigned place) const {
      unsigned const i = place - first;
      return (i < room ? slots : slots + 1)[i];
    }
  };
  [[nodiscard]] __device__ slot_range slots(unsigned first) const {
    return {&slot(first), first, 32 - (lead_ + first) % 32};
  }
  /// Where the element at `place` is staged.
  [[nodiscard]] __device__ Slot& slot(unsigned place) const {
    return shared_.staged[skewed(lead_ + place)];
  }
  /// Calls take(place, slot) for all own elements, each in one thread.
  template <class Take>
  __device__ void for_each_slot(Take const& take) const {
    Slot const* at = &slot(threadIdx.x);
#pragma unroll 8
    for (std::size_t place = threadIdx.x; place < owned_; place += Shape::threads) {
      take(place, *at);
      at += skewed(Shape::threads);
    }
  }

 private:
  static constexpr unsigned rounds = (Shape::most_elements / Shape::item - 1) / Shape::threads + 1,
                            no_item = ~0U;

  /// Stages the pieces of `step` elements of [lead_, size), counted from `base`, that are whole.
  template <unsigned step, class Input>
  __device__ void load_pieces(Input const& in, std::size_t base, unsigned size) {
    constexpr unsigned row = Shape::threads * step, rows = sizeof(T) * step <= 8 ? 8 : 4;
    static_assert(32 % step == 0 && row % 32 == 0, "a piece has no skew inside");
    auto const has = [&](unsigned at) { return at >= lead_ && at + step <= size; };
    for (unsigned first = threadIdx.x * step; first < size; first += rows * row) {
      T x[rows][step];
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        std::size_t const at = base + first + r * row;
        if (has(first + r * row)) in.template load<step>(at, at + step, x[r]);
      }
      Slot* const to = shared_.staged + skewed(first);
#pragma unroll
      for (unsigned r = 0; r < rows; ++r)
#pragma unroll
        for (unsigned i = 0; i < step; ++i)
          if (has(first + r * row)) to[skewed(r * row) + i] = x[r][i];
    }
  }
  /// Threads that are at the same position of consecutive items read from different banks.
  [[nodiscard]] static __device__ constexpr unsigned skewed(unsigned i) { return i + i / 32; }

  memory& shared_;
  tile_side left_, right_;
  std::size_t before_;
  unsigned owned_, ends_, count_, lead_ = 0;
  unsigned items_[rounds];  ///< the segment and the begin, of 16 bits each, or no_item
};

}  // namespace upsweep::device
