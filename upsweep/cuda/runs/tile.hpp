/// One tile of runs in a block's shared memory: its elements, where its pieces begin, and the
/// totals of items and chunks. A piece is an item or the end of a run that is less.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/runs/heads.hpp>
#include <upsweep/cuda/segments/call.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::device {

template <class Shape, unsigned most_listed, class T, class A, class Slot>
struct run_memory {
  Slot staged[Shape::most + Shape::windows];
  std::uint16_t pieces[most_listed + 1];
  unsigned starts[Shape::windows + 1];  ///< of pieces in each window, as bits
  std::uint16_t heads[Shape::windows];  ///< before each window
  boxed<A> items[Shape::windows];       ///< totals of whole items, by the window they begin in
  boxed<A> chunks[Shape::windows / 4];  ///< of whole chunks, by a fourth of the last item's
  unsigned counts[Shape::warps];
  tile_heads<Shape> bits;
};

/// The item that begins last in a window, if it is whole; no other one can be.
struct own_item {
  bool exists = false;
  unsigned at, run;  ///< its position, and that of its run's begin, or nowhere
};

/// A piece, and whether its run begins and ends with it.
struct run_piece {
  unsigned at, size;
  bool is_head, ends_run;
};

/// A tile as one of its threads sees it. More than `most_listed` pieces are not listed: then each
/// thread takes those of its window.
template <class Shape, unsigned most_listed, class T, class A, class Slot = boxed<T>>
class run_tile {
  static constexpr unsigned item = Shape::item, continues = 0x8000;

 public:
  using shape = Shape;
  static constexpr unsigned nowhere = run_borders<Shape>::nowhere;
  using memory = run_memory<Shape, most_listed, T, A, Slot>;

  /// Finds the own items of the thread's window, and begins to count pieces.
  __device__ run_tile(memory& shared, std::size_t first, std::size_t n, unsigned warp,
                      unsigned lane)
      : shared_(shared), borders_(shared.bits, first, n, lane), first_(first) {
    unsigned const window = threadIdx.x, place = window * item, bits = shared.bits.bits[window];
    run_ = borders_.last_before(window);
    unsigned const next = borders_.item_in(window, run_) - place;
    bool const is_open = run_ != nowhere || shared.bits.open > 0;
    starts_ = bits;
    if (is_open && (bits & ((2U << next) - 1)) == 0) starts_ |= 1U << next;
    starts_ &= places_from(borders_.begin(), place) & ~places_from(borders_.end(), place) &
               tile_heads<Shape>::mask;
    own_ = bits & starts_;
    unsigned const mine =
        static_cast<unsigned>(__popc(starts_)) | static_cast<unsigned>(__popc(own_)) << 16;
    before_ = mine;
#pragma unroll
    for (unsigned k = 1; k < 32; k *= 2) {
      unsigned const left = simt::shuffle_up(whole_warp, before_, k);
      if (lane >= k) before_ += left;
    }
    if (lane == 31) shared.counts[warp] = before_;
    before_ -= mine;
    shared.starts[window] = starts_;
    if (window == 0) shared.starts[Shape::windows] = 0;
  }
  [[nodiscard]] __device__ run_borders<Shape> const& borders() const { return borders_; }
  /// The number in the whole input of the run that has element `place`.
  [[nodiscard]] __device__ std::size_t run_at(unsigned place) const {
    unsigned const window = place / item;
    return shared_.bits.earlier + shared_.heads[window] - 1 +
           static_cast<unsigned>(__popc(shared_.bits.bits[window] & ((2U << (place % item)) - 1)));
  }

  /// Loads the own elements, no others, as scans may be in place.
  template <class Input>
  __device__ void load(Input const& in) const {
    constexpr unsigned vector = items_of<T>, step = item % vector == 0 ? vector : 1;
    if (in.vectors)
      load_pieces<step>(in);
    else
      load_pieces<1>(in);
  }

  /// Lists the pieces, when all threads have counted theirs.
  __device__ void list_pieces(unsigned warp) {
    unsigned all = 0;
#pragma unroll
    for (unsigned w = 0; w < Shape::warps; ++w) {
      if (w == warp) before_ += all;
      all += shared_.counts[w];
    }
    pieces_ = all & 0xffff;
    shared_.heads[threadIdx.x] = static_cast<std::uint16_t>(before_ >> 16);
    if (are_many()) return;
    unsigned at = before_ & 0xffff;
    if (starts_ != 0)
      shared_.pieces[at++] = static_cast<std::uint16_t>(first_of(threadIdx.x, starts_));
    for (unsigned rest = starts_ & (starts_ - 1); rest != 0; rest &= rest - 1)
      shared_.pieces[at++] = static_cast<std::uint16_t>(head_of(rest));
    if (threadIdx.x == 0)
      shared_.pieces[pieces_] = static_cast<std::uint16_t>(first_of(Shape::windows, 0));
  }
  /// Calls take(piece) for the thread's share of the pieces, when they are listed.
  template <class Take>
  __device__ void for_each_piece(Take const& take) const {
    bool const many = are_many();
    unsigned const step = many ? 1 : Shape::threads,
                   end = many ? static_cast<unsigned>(__popc(starts_)) : pieces_;
    unsigned rest = starts_, from = 0, after = 0;
    if (many) {
      from = first_of(threadIdx.x, rest);
      after = first_of(threadIdx.x + 1, shared_.starts[threadIdx.x + 1]);
    }
    for (unsigned k = many ? 0 : threadIdx.x; k < end; k += step) {
      unsigned to = after;
      if (many) {
        rest &= rest - 1;
        if (rest != 0) to = head_of(rest);
      } else {
        from = shared_.pieces[k];
        to = shared_.pieces[k + 1];
      }
      unsigned const at = from & (continues - 1);
      take(run_piece{at, (to & (continues - 1)) - at, from < continues, to < continues});
      from = to;
    }
  }

  /// Finds the thread's whole item and its total.
  template <class Op>
  __device__ void total_item(Op const& op) {
    whole_ = {};
    if (starts_ == 0) return;
    unsigned const bit = tile_heads<Shape>::top_bit(starts_), at = threadIdx.x * item + bit;
    if (at + item > borders_.end()) return;
    unsigned const above = shared_.bits.bits[threadIdx.x] & ~((2U << bit) - 1),
                   after = bit > 0 ? shared_.bits.bits[threadIdx.x + 1] & ((1U << bit) - 1) : 0;
    if ((above | after) != 0) return;
    whole_ = {true, at, (own_ >> bit & 1) != 0 ? at : run_};
    A const total = block_of<Shape::item_log2, A>(elements_of(at, op), at, op);
    shared_.items[threadIdx.x] = total;
  }
  /// The total of the chunk that ends with the thread's whole item; calls publish(chunk, total) if
  /// other tiles have elements of the run.
  template <class Op, class Publish>
  __device__ void total_chunk(Op const& op, Publish const& publish) const {
    if (!whole_.exists || items_before(whole_.at, whole_.run) % 4 != 3) return;
    unsigned const w = threadIdx.x;
    A const total = block_of<2, A>([&](unsigned i) -> A { return shared_.items[i]; }, w - 3, op);
    shared_.chunks[w / 4] = total;
    if (!borders_.is_elsewhere(whole_.run)) return;
    std::size_t const begin =
        whole_.run == nowhere ? borders_.global_open() : borders_.global(whole_.run);
    publish(begin, (borders_.global(whole_.at) - begin) / Shape::chunk, total);
  }
  [[nodiscard]] __device__ own_item const& whole_item() const { return whole_; }

  /// The items that the tile has of a run before the position `at`, where one begins.
  [[nodiscard]] __device__ unsigned items_before(unsigned at, unsigned run) const {
    return at / item - first_window(run);
  }
  /// Appends the first `count` items that the tile has of a run; of one that is_begun(), the
  /// chunks before are in `total`.
  template <class Op>
  __device__ void append_items(prefix_of<A, Op>& total, unsigned run, unsigned count,
                               Op const& op) const {
    constexpr unsigned levels = level_of<Shape::windows / 4 - 1> + 1;
    unsigned const first = first_window(run);
    if (run != nowhere)
      for_each_digit<levels, A>([&](unsigned i) -> A { return shared_.chunks[i]; }, (first + 3) / 4,
                                count / 4, op,
                                [&](A const& next, unsigned) { total.append(next, op); });
    for_each_digit<2, A>([&](unsigned i) -> A { return shared_.items[i]; }, first + count / 4 * 4,
                         count % 4, op, [&](A const& next, unsigned) { total.append(next, op); });
  }
  /// Appends `count` elements from position `at` on, less than an item.
  template <class Op>
  __device__ void append_elements(prefix_of<A, Op>& total, unsigned at, unsigned count,
                                  Op const& op) const {
    auto const get = elements_of(at, op);
    auto const append = [&](A const& next, unsigned) { total.append(next, op); };
    if constexpr (Shape::item_log2 > 2)  // runs of less than four elements take no more tests
      if (count < 4) return for_each_digit<2, A>(get, at, count, op, append);
    for_each_digit<Shape::item_log2, A>(get, at, count, op, append);
  }

  /// The elements by their position, as accumulators: those of the piece that begins at `at`.
  template <class Op>
  [[nodiscard]] __device__ auto elements_of(unsigned at, Op const& op) const {
    std::size_t index = 0;
    if constexpr (lifts_by_index<Op, T>) index = index_of(at);
    return [this, at, room = item - at % item, skewed = at + at / item, index,
            &op](unsigned place) -> A {
      unsigned const i = place - at;
      T const x = shared_.staged[skewed + i + (i < room ? 0 : 1)];
      return detail::lift(op, x, index + i);
    };
  }
  /// Where the element at `place` is staged, of the piece that begins at `at`.
  [[nodiscard]] __device__ Slot& slot(unsigned at, unsigned i) const {
    return shared_.staged[at + at / item + i + (i < item - at % item ? 0 : 1)];
  }
  /// Stores get(slot) of each own element.
  template <class U, class Sink, class Get>
  __device__ void store(Sink const& out, Get const& get) const {
    constexpr unsigned vector = items_of<U>, step = item % vector == 0 ? vector : 1,
                       rounds = Shape::most / (Shape::threads * step);
    unsigned const begin = borders_.begin(), end = borders_.end();
    auto* const to = out.first + first_;
#pragma unroll
    for (unsigned r = 0; r < rounds; ++r) {
      unsigned const at = (r * Shape::threads + threadIdx.x) * step;
      Slot const* const from = shared_.staged + at + at / item;
      if constexpr (Sink::plain && step > 1) {
        if (out.vectors && at >= begin && at + step <= end) {
          U x[step];
#pragma unroll
          for (unsigned i = 0; i < step; ++i) x[i] = get(from[i]);
          out.store_vector(first_ + at, packed_elements<U, step>(x));
          continue;
        }
      }
#pragma unroll 1
      for (unsigned i = 0; i < step; ++i)
        if (at + i >= begin && at + i < end) to[at + i] = get(from[i]);
    }
  }

 private:
  [[nodiscard]] __device__ bool are_many() const {
    return most_listed < Shape::most && pieces_ > most_listed;
  }
  /// The position of the first of the pieces that start in a window, or the end of the tile if none
  /// does, and whether a run goes on there. All others start with a head.
  [[nodiscard]] __device__ unsigned first_of(unsigned window, unsigned starts) const {
    if (starts == 0) return borders_.end() | (borders_.goes_on() ? continues : 0);
    unsigned const bit = static_cast<unsigned>(__ffs(static_cast<int>(starts))) - 1;
    return (window * item + bit) | ((shared_.bits.bits[window] >> bit & 1) != 0 ? 0 : continues);
  }
  /// The position of the first of some heads in the thread's window.
  [[nodiscard]] __device__ unsigned head_of(unsigned bits) const {
    return threadIdx.x * item + static_cast<unsigned>(__ffs(static_cast<int>(bits))) - 1;
  }
  /// The bits of a window that begins at `first`, of positions from `place` on.
  [[nodiscard]] static __device__ unsigned places_from(unsigned place, unsigned first) {
    unsigned const i = place > first ? place - first : 0;
    return i < 32 ? ~0U << i : 0;
  }
  [[nodiscard]] __device__ unsigned first_window(unsigned run) const {
    return (run == nowhere ? borders_.begin() : run) / item;
  }
  /// The index of element `at` in its run.
  [[nodiscard]] __device__ std::size_t index_of(unsigned at) const {
    unsigned const window = at / item, here = shared_.bits.bits[window] & ((2U << (at % item)) - 1);
    unsigned const run =
        here != 0 ? window * item + tile_heads<Shape>::top_bit(here) : borders_.last_before(window);
    return run == nowhere ? borders_.global(at) - borders_.global_open() : at - run;
  }
  template <unsigned step, class Input>
  __device__ void load_pieces(Input const& in) const {
    constexpr unsigned rounds = Shape::most / (Shape::threads * step);
    constexpr unsigned batch = rounds < 8 ? rounds : 8;
    unsigned const begin = borders_.begin(), end = borders_.end();
#pragma unroll 1
    for (unsigned first = 0; first < rounds; first += batch) {
      T x[batch][step];
      auto const at = [&](unsigned r) {
        return ((first + r) * Shape::threads + threadIdx.x) * step;
      };
#pragma unroll
      for (unsigned r = 0; r < batch; ++r)
        if (at(r) >= begin && at(r) + step <= end)
          in.template load<step>(first_ + at(r), first_ + at(r) + step, x[r]);
#pragma unroll
      for (unsigned r = 0; r < batch; ++r) {
        Slot* const to = shared_.staged + at(r) + at(r) / item;
        if (at(r) >= begin && at(r) + step <= end) {
#pragma unroll
          for (unsigned i = 0; i < step; ++i) to[i] = x[r][i];
        } else if (step > 1) {
#pragma unroll 1
          for (unsigned i = 0; i < step; ++i)
            if (at(r) + i >= begin && at(r) + i < end) to[i] = in.first[first_ + at(r) + i];
        }
      }
    }
  }

  memory& shared_;
  run_borders<Shape> borders_;
  std::size_t first_;
  unsigned run_, starts_, own_, before_, pieces_ = 0;
  own_item whole_;
};

}  // namespace upsweep::device
