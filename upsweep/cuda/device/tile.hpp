/// One tile of a scan or a reduction in the registers of a block: the up-sweep to its total, and
/// the down-sweep from its exclusive prefix.
///
/// A tile has `warps` chunks, one for each warp; a chunk has `rows` rows; of a row each lane takes
/// `items` consecutive elements. All are powers of two, so each level of the combine tree is within
/// a lane, between lanes, between rows or between warps.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstring>
#include <type_traits>

namespace upsweep::device {

/// The shape of a tile; `blocks` is the number of blocks per multiprocessor.
template <unsigned warps_, unsigned rows_, unsigned items_, unsigned blocks_ = 1>
struct tile_shape {
  static constexpr unsigned warps = warps_, rows = rows_, items = items_, blocks = blocks_;
  static constexpr unsigned threads = 32 * warps, row = 32 * items, chunk = rows * row,
                            size = warps * chunk;
  static constexpr unsigned warp_levels = level_of<warps>;
  /// The levels of the tree below a lane's items, a row, a chunk and the tile.
  static constexpr unsigned lane_level = level_of<items>, row_level = level_of<row>,
                            chunk_level = level_of<chunk>, level = level_of<size>;
};

/// The values before the elements. With `has_before` there is a prefix before them, to which
/// blocks are appended: the one that an earlier call has stored at `before`, or `initial` if that
/// is null (recurrences). With `has_initial`, results are `initial` op prefix. `first` is the first
/// result of an exclusive scan without a prefix before it.
template <class A>
struct scan_start {
  A initial, first;
  bool has_initial = false, has_before = false;
  A const* before = nullptr;  ///< in device memory

  /// The exclusive prefix of the first element; an arbitrary value if there is none.
  __device__ A left() const {
    if (!has_before || before == nullptr) return initial;
    A const a = before[0];
    return a;
  }
};

/// The 32-bit integer of T's sign.
template <class T>
using widened_narrow = std::conditional_t<std::is_signed_v<T>, int, unsigned>;

/// True for sums of 8- and 16-bit integers, for which a chunk uses 32 bits: it has at most 2^16
/// 8-bit or 2^15 16-bit elements.
template <class Source>
inline constexpr bool sums_narrow =
    Source::plain && Source::as_they_are && is_sum<typename Source::operation> &&
    std::is_integral_v<typename Source::element> && sizeof(typename Source::element) <= 2;

/// `sum` plus the elements that a lane holds.
template <class T, unsigned items>
__device__ widened_narrow<T> add_narrow(held<T, items> const& x, widened_narrow<T> sum) {
#ifdef __NVCC__
  if constexpr (items * sizeof(T) % 4 == 0) {
    constexpr unsigned words = items * sizeof(T) / 4;
    widened_narrow<T> word[words];
    std::memcpy(word, x.value, sizeof word);
#pragma unroll
    for (unsigned i = 0; i < words; ++i) {
      if constexpr (sizeof(T) == 1)
        sum = __dp4a(word[i], widened_narrow<T>{0x01010101}, sum);
      else
        sum = __dp2a_lo(word[i], widened_narrow<T>{0x0101}, sum);
    }
  } else
#endif
#pragma unroll
    for (unsigned j = 0; j < items; ++j) sum += x.value[j];
  return sum;
}

/// Writes the inclusive sums, starting from `before`, to `result`. Each takes one instruction, a
/// dot product with part of a word.
template <class T, unsigned items, class A>
__device__ void add_each_narrow(held<T, items> const& x, A before, A* result) {
  using wide = widened_narrow<T>;
  auto sum = static_cast<wide>(before);
#ifdef __NVCC__
  constexpr unsigned in_word = 4 / sizeof(T);
  if constexpr (items % in_word == 0) {
    wide word[items / in_word];
    std::memcpy(word, x.value, sizeof word);
#pragma unroll
    for (unsigned i = 0; i < items; i += in_word) {
#pragma unroll
      for (unsigned j = 0; j < in_word; ++j) {
        if constexpr (sizeof(T) == 1)
          result[i + j] = static_cast<A>(
              __dp4a(word[i / in_word], static_cast<wide>(0x01010101U >> (8 * (3 - j))), sum));
        else
          result[i + j] = static_cast<A>(
              __dp2a_lo(word[i / in_word], static_cast<wide>(0x0101U >> (8 * (1 - j))), sum));
      }
      sum = static_cast<wide>(result[i + in_word - 1]);
    }
  } else
#endif
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      sum += x.value[j];
      result[j] = static_cast<A>(sum);
    }
}

/// The results of the `items` elements x from position `at` on. `before` is the exclusive prefix of
/// the first one, `after` the inclusive prefix of the last one.
template <scan_kind kind, unsigned items, class Source, class A, class Op>
__device__ void results_of(Source const& in, typename Source::template lane_items<items> const& x,
                           std::size_t at, prefix_of<A, Op> const& before,
                           prefix_of<A, Op> const& after, scan_start<A> const& start, Op const& op,
                           A* result) {
  if constexpr (sums_narrow<Source> && sizeof(A) == 4) {
    A const left = start.has_initial ? op(start.initial, before.value()) : before.value();
    A sum[items];
    add_each_narrow(x, left, sum);
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      result[j] = kind == scan_kind::inclusive ? sum[j] : j == 0 ? left : sum[j - 1];
  } else {
    prefix_of<A, Op> prefix[items + 1];
    prefix[0] = before;
    prefix[items] = after;
    if constexpr (items > 1) {
      thread_tree<A, items> own;
#pragma unroll
      for (unsigned j = 0; j < items; ++j) own.value(j) = in.template item<items>(x, j, at);
      own.up(op);
      own.down(prefix, op);
    }
#pragma unroll
    for (unsigned j = 0; j < items; ++j) {
      result[j] = prefix[kind == scan_kind::inclusive ? j + 1 : j].value();
      if constexpr (!depends_on_length<Op>)
        if (start.has_initial) result[j] = op(start.initial, result[j]);
    }
  }
  if (kind == scan_kind::exclusive && at == 0 && !start.has_before) result[0] = start.first;
}

/// The total of the elements that a lane has loaded from position `at` on.
template <unsigned items, class Source, class Op>
__device__ typename Source::accumulator lane_total(
    Source const& in, typename Source::template lane_items<items> const& x, std::size_t at,
    Op const& op) {
  using A = typename Source::accumulator;
  if constexpr (sums_narrow<Source>) {
    return static_cast<A>(add_narrow(x, widened_narrow<typename Source::element>{}));
  } else {
    thread_tree<A, items> own;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) own.value(j) = in.template item<items>(x, j, at);
    own.up(op);
    return own.total();
  }
}

/// The chunk of one warp: its loaded elements, and the totals that the down-sweep needs.
template <class Shape, class Source>
class warp_chunk {
  using A = typename Source::accumulator;
  using Op = combine_of<typename Source::operation>;
  static constexpr unsigned rows = Shape::rows, items = Shape::items;

 public:
  /// `begin` is the position of the chunk's first element.
  __device__ warp_chunk(std::size_t begin, unsigned lane) : begin_(begin), lane_(lane) {}

  __device__ void load(Source const& in) {
    if constexpr (requires { in.has_whole(begin_, Shape::chunk); }) {
      if (in.has_whole(begin_, Shape::chunk)) {
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) in.template load_whole<items>(position(r), held_[r]);
        return;
      }
    }
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) in.template load<items>(position(r), held_[r]);
  }

  /// Up-sweep: the total of the chunk, in every lane.
  __device__ A up(Source const& in, Op const& op) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      thread_tree<A, items> own;
      fill(own, in, r);
      own.up(op);
      rows_.value(r) = butterfly<5>(own.total(), beside_[r], raised(op, Shape::lane_level));
    }
    rows_.up(raised(op, Shape::row_level));
    return rows_.total();
  }

  /// Down-sweep and store: `before` is the exclusive prefix of the chunk, `after` the inclusive
  /// one.
  template <scan_kind kind, class Sink>
  __device__ void down(Source const& in, Sink const& out, prefix_of<A, Op> const& before,
                       prefix_of<A, Op> const& after, scan_start<A> const& start,
                       Op const& op) const {
    prefix_of<A, Op> row[rows + 1];
    row[0] = before;
    row[rows] = after;
    rows_.down(row, raised(op, Shape::row_level));
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      prefix_of<A, Op> left = row[r];
      beside_[r].append_to(left, lane_, raised(op, Shape::lane_level));
      prefix_of<A, Op> right = left;
      if constexpr (kind == scan_kind::inclusive) right = left.of_next_lane(row[r + 1], lane_);
      A result[items];
      results_of<kind, items>(in, held_[r], position(r), left, right, start, op, result);
      if constexpr (requires { Sink::sees_items; })
        out.template store<items>(position(r), result, held_[r]);
      else
        out.template store<items>(position(r), result);
    }
  }

 private:
  template <class, class>
  friend struct chunk_digits;  // of a stream's carry (stream/scan_chunk.hpp)

  __device__ std::size_t position(unsigned r) const {
    return begin_ + r * std::size_t{Shape::row} + lane_ * std::size_t{items};
  }
  __device__ void fill(thread_tree<A, items>& own, Source const& in, unsigned r) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      own.value(j) = in.template item<items>(held_[r], j, position(r));
  }
  std::size_t begin_;
  unsigned lane_;
  typename Source::template lane_items<items> held_[rows];
  siblings<A> beside_[rows];
  thread_tree<A, rows> rows_;
};

}  // namespace upsweep::device
