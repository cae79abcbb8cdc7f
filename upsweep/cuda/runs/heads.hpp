/// Where runs begin, as a bit for each element, and what a tile of them needs to know: its borders,
/// and where the items of its windows begin.
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/warp.hpp>
#include <upsweep/cuda/select/marks.hpp>

#include <cstddef>

namespace upsweep::device {

/// The heads of runs, as a selection has left them. The upper halves of all words are 0, as in
/// epoch 0, unless the input has 2^32 elements.
struct run_heads {
  word const* bits;  ///< of 32 elements each
  /// Of each granule of 2^granule_log2 elements: how many heads are before it, and 1 + the
  /// position of the last of them.
  word const* earlier;
  unsigned granule_log2;

  static constexpr bool are_compared = false;  ///< the selection has stored keys and their number
};

/// A tile has a window for each thread. Of the last four windows it owns at most the beginning.
/// Items have as many elements as a window, and a chunk four items; both are counted from the begin
/// of their run, so an item begins in every window that has no head.
template <unsigned item_log2_, unsigned warps_, unsigned blocks_>
struct run_shape {
  static constexpr unsigned item_log2 = item_log2_, warps = warps_, blocks = blocks_;
  static constexpr unsigned threads = 32 * warps, windows = threads, item = 1U << item_log2,
                            chunk_log2 = item_log2 + 2, chunk = 1U << chunk_log2;
  static constexpr unsigned most = windows * item, size = most - chunk;
  static_assert(item <= 32 && most < 0x8000, "windows and places are parts of words");
};

/// The heads of a tile in shared memory. Positions count from the tile's first element.
template <class Shape>
struct tile_heads {
  unsigned bits[Shape::windows];
  std::size_t earlier;  ///< heads before the tile
  std::size_t open;     ///< 1 + the position of the last of them

  /// Loads those of the tile that begins at `first` of n elements. Called by the whole block.
  __device__ void load(run_heads const& heads, std::size_t first, std::size_t n, unsigned warp,
                       unsigned lane) {
    std::size_t const at = first + threadIdx.x * std::size_t{Shape::item};
    unsigned own = 0;
    if (at < n) own = static_cast<unsigned>(heads.bits[at / 32] >> (at % 32)) & mask;
    bits[threadIdx.x] = own;
    if (warp != 0) return;
    std::size_t const granule = first >> heads.granule_log2, begin = granule << heads.granule_log2;
    std::size_t const before = heads.earlier[2 * granule],
                      last_before = heads.earlier[2 * granule + 1];
    unsigned count = 0, last = 0;
    for (std::size_t i = begin + 32 * lane; i < first; i += 32 * 32) {
      unsigned word_bits = static_cast<unsigned>(heads.bits[i / 32]);
      if (first - i < 32) word_bits &= (1U << (first - i)) - 1;
      count += static_cast<unsigned>(__popc(word_bits));
      if (word_bits != 0) last = static_cast<unsigned>(i - begin) + 1 + top_bit(word_bits);
    }
    count = sum_of_lanes(count);
    last = greatest_of_lanes(last);
    if (lane != 0) return;
    earlier = before + count;
    open = last > 0 ? begin + last : last_before;
  }

  static constexpr unsigned mask = static_cast<unsigned>((std::size_t{1} << Shape::item) - 1);
  [[nodiscard]] static __device__ unsigned top_bit(unsigned x) {
    return 31 - static_cast<unsigned>(__clz(static_cast<int>(x)));
  }
};

/// What each thread knows of its tile's borders. Its positions begin at a chunk of the run that
/// is open before the tile, or at the first head, and end at such a position too.
template <class Shape>
class run_borders {
  using heads = tile_heads<Shape>;
  static constexpr unsigned item = Shape::item, chunk = Shape::chunk;

 public:
  static constexpr unsigned nowhere = ~0U;

  /// The whole warp takes part.
  __device__ run_borders(heads const& of, std::size_t first, std::size_t n, unsigned lane)
      : heads_(of), open_(of.open), first_(first) {
#pragma unroll
    for (unsigned k = 0; k < Shape::warps; ++k)
      with_heads_[k] = __ballot_sync(whole_warp, of.bits[32 * k + lane] != 0);
    unsigned const end = n - first < Shape::most ? static_cast<unsigned>(n - first) : Shape::most;
    constexpr unsigned last_windows = Shape::size / item;
    head_ = first_from(0);
    unsigned const border = border_from(nowhere, 0);
    begun_ = open_ > 0 && border < head_ && border < end;
    begin_ = open_ == 0 ? 0 : least(least(border, head_), end);
    end_ = end;
    if (end <= Shape::size) return;
    last_ = last_before(last_windows);
    unsigned const next = border_from(last_, Shape::size), head = first_from(last_windows);
    goes_on_ = next < head && next < end;
    end_ = least(least(next, head), end);
  }

  /// The own positions.
  [[nodiscard]] __device__ unsigned begin() const { return begin_; }
  [[nodiscard]] __device__ unsigned end() const { return end_; }
  /// Whether the first own element is of a run with elements in earlier tiles.
  [[nodiscard]] __device__ bool is_begun() const { return begun_; }
  /// Whether the last one is of a run with elements in later tiles.
  [[nodiscard]] __device__ bool goes_on() const { return goes_on_; }
  /// Where the own elements of the run end that is_begun().
  [[nodiscard]] __device__ unsigned end_of_begun() const { return least(head_, end_); }
  /// Where that run begins in the whole input.
  [[nodiscard]] __device__ std::size_t global_open() const { return open_ - 1; }
  [[nodiscard]] __device__ std::size_t global(unsigned place) const { return first_ + place; }

  /// The last head in the windows before `window`, or nowhere.
  [[nodiscard]] __device__ unsigned last_before(unsigned window) const {
    unsigned found = nowhere;
#pragma unroll
    for (unsigned k = 0; k < Shape::warps; ++k) {
      unsigned const windows_before = window > 32 * k ? window - 32 * k : 0;
      unsigned const with =
          windows_before >= 32 ? with_heads_[k] : with_heads_[k] & ((1U << windows_before) - 1);
      if (with != 0) found = 32 * k + heads::top_bit(with);
    }
    return found == nowhere ? nowhere : found * item + heads::top_bit(heads_.bits[found]);
  }
  /// Where a run that is not empty before a window has its first item that begins there, if
  /// it has not ended. `begin` is where the run begins, or nowhere if it is_begun().
  [[nodiscard]] __device__ unsigned item_in(unsigned window, unsigned begin) const {
    unsigned const from = begin == nowhere ? static_cast<unsigned>(open_ - 1 - first_) : begin;
    return window * item + ((from - window * item) & (item - 1));
  }
  /// Whether the run that begins at `begin`, as of item_in(), has elements in other tiles.
  [[nodiscard]] __device__ bool is_elsewhere(unsigned begin) const {
    return begin == nowhere || (goes_on_ && begin == last_);
  }

 private:
  [[nodiscard]] static __device__ unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }
  /// The first head in `window` or after it, or nowhere.
  [[nodiscard]] __device__ unsigned first_from(unsigned window) const {
    unsigned found = nowhere;
#pragma unroll
    for (unsigned k = Shape::warps; k-- > 0;) {
      unsigned const windows_before = window > 32 * k ? window - 32 * k : 0;
      unsigned const with =
          windows_before >= 32 ? 0 : with_heads_[k] & ~((1U << windows_before) - 1);
      if (with != 0) found = 32 * k + static_cast<unsigned>(__ffs(static_cast<int>(with))) - 1;
    }
    return found == nowhere
               ? nowhere
               : found * item + static_cast<unsigned>(__ffs(static_cast<int>(heads_.bits[found]))) -
                     1;
  }
  /// The first begin of a chunk at `place` or after it, of the run that begins at `begin`.
  [[nodiscard]] __device__ unsigned border_from(unsigned begin, unsigned place) const {
    unsigned const from = begin == nowhere ? static_cast<unsigned>(open_ - 1 - first_) : begin;
    return place + ((from - place) & (chunk - 1));
  }

  heads const& heads_;
  std::size_t open_, first_;
  unsigned with_heads_[Shape::warps];
  unsigned head_, begin_, end_, last_ = nowhere;
  bool begun_, goes_on_ = false;
};

}  // namespace upsweep::device
