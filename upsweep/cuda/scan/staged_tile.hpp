/// A tile that has been copied to a stage in shared memory: its elements as a source, and the
/// totals of its chunks.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/device/warp.hpp>

#include <cstddef>
#include <cstring>

namespace upsweep::device {

/// A tile in its stage, as a source; positions are those of the whole input. All elements of a
/// `whole` tile exist, so loads need no test and those of several rows are in flight together.
template <class Source, bool whole>
struct staged_tile {
  using operation = typename Source::operation;
  using accumulator = typename Source::accumulator;
  using element = typename Source::element;
  static constexpr bool plain = true, as_they_are = Source::as_they_are;
  template <unsigned items>
  using lane_items = typename Source::template lane_items<items>;

  Source const& in;
  element* stage;
  std::size_t begin;  ///< position of the first element
  unsigned count;     ///< number of elements

  template <unsigned items>
  __device__ void load(std::size_t i, lane_items<items>& x) const {
    auto const at = static_cast<unsigned>(i - begin);
    constexpr unsigned step = vector_items<element>(items);
    if (whole || at + items <= count) {
#pragma unroll
      for (unsigned v = 0; v < items; v += step) load_vector<step>(at + v, x.value + v);
    } else {
#pragma unroll
      for (unsigned j = 0; j < items; ++j) x.value[j] = stage[at + j < count ? at + j : count - 1];
    }
  }
  template <unsigned items>
  __device__ accumulator item(lane_items<items> const& x, unsigned j, std::size_t i) const {
    return in.template item<items>(x, j, i);
  }

  /// Stores results over elements of the same size, and reads them back.
  template <class Vector>
  __device__ void put(std::size_t i, Vector const& x) const {
    simt::pointer_cast<Vector>(stage + static_cast<unsigned>(i - begin))[0] = x;
  }
  template <class Vector>
  __device__ Vector get(std::size_t i) const {
    return simt::pointer_cast<Vector const>(stage + static_cast<unsigned>(i - begin))[0];
  }

 private:
  template <unsigned step>
  __device__ void load_vector(unsigned at, element* x) const {
    if constexpr (has_vectors<element>) {
      using vector = vector_of<element, step>;
      vector const piece = simt::pointer_cast<vector const>(stage + at)[0];
      std::memcpy(x, &piece, sizeof piece);
    } else {
      x[0] = stage[at];
    }
  }
};

/// The sink of a whole tile: every result is stored, without a test.
template <class Sink>
struct whole_sink {
  Sink const& out;

  template <unsigned items, class A>
  __device__ void store(std::size_t i, A const* a) const {
    out.template store_all<items>(i, a);
  }
};

/// One chunk of a tile, by one butterfly: a lane has `rows` consecutive vectors (blocked order).
///
/// To avoid bank conflicts in a quarter warp, each lane accesses its vectors in its own order:
/// vector r ^ turn. At each level that swaps the two operands in some lanes, which a select undoes
/// where it matters.
template <class Shape, class Tile>
class blocked_chunk {
  using A = typename Tile::accumulator;
  using Op = combine_of<typename Tile::operation>;
  using prefix = prefix_of<A, Op>;
  static constexpr unsigned rows = Shape::rows, items = Shape::items,
                            vectors_level = Shape::lane_level + level_of<rows>;
  static_assert(rows <= 32, "a part of a chunk is whole lanes");

 public:
  /// `begin` is the position of the chunk's first element.
  __device__ blocked_chunk(Tile const& tile, std::size_t begin, unsigned lane)
      : tile_(tile),
        begin_(begin),
        lane_(lane),
        turn_((rows < 8 ? lane * rows / 8 : lane) % (rows < 8 ? rows : 8)) {}

  /// Up-sweep: the total of the chunk, in every lane. If there are several `parts`, stores their
  /// totals in `part_totals`.
  template <unsigned parts = 1>
  __device__ A up(Op const& op, boxed<A>* part_totals = nullptr) {
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) node_[rows + r] = vector_total(r, op);
#pragma unroll
    for (unsigned k = 0; k < level_of<rows>; ++k)
#pragma unroll
      for (unsigned r = 0; r < rows; r += 2u << k) {
        unsigned const i = (rows + r) >> k;
        node_[i / 2] = combine_swapped(node_[i], node_[i + 1], (turn_ >> k & 1) != 0,
                                       raised(op, Shape::lane_level + k));
      }
    A mine = node_[1];
#pragma unroll
    for (unsigned k = 0; k < 5; ++k) {
      if (parts > 1 && parts << k == 32 && (lane_ + 1) % (32 / parts) == 0)
        part_totals[lane_ / (32 / parts)] = mine;
      beside_.total[k] = butterfly_step(k, mine, raised(op, vectors_level));
    }
    return butterfly_total<5, A, Op>(mine);
  }

  /// Down-sweep: the results, converted to elements of `out`, overwrite the elements in the stage;
  /// then the warp stores them row by row. `before` is the exclusive prefix of the chunk, `after`
  /// the inclusive one.
  template <scan_kind kind, class Sink>
  __device__ void down(Sink const& out, prefix const& before, prefix const& after,
                       scan_start<A> const& start, Op const& op) const {
    prefix left[rows], right[rows];  // of the vectors that the lane holds
    left[0] = before;
    beside_.append_to(left[0], lane_, raised(op, vectors_level));
    right[0] = left[0];
    if constexpr (kind == scan_kind::inclusive) right[0] = left[0].of_next_lane(after, lane_);
#pragma unroll
    for (unsigned k = level_of<rows>; k-- > 0;)
#pragma unroll
      for (unsigned r = 0; r < rows; r += 2u << k) {
        unsigned const size = 1u << k, i = (rows + r) >> k;
        bool const swap = (turn_ & size) != 0;
        prefix middle = left[r];
        middle.append(select(swap, node_[i + 1], node_[i]), raised(op, Shape::lane_level + k));
        left[r + size] = select(swap, left[r], middle);
        right[r + size] = select(swap, middle, right[r]);
        left[r] = select(swap, middle, left[r]);
        right[r] = select(swap, right[r], middle);
      }
    typename Tile::template lane_items<items> x[rows];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) tile_.template load<items>(position(r), x[r]);
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      A result[items];
      results_of<kind, items>(tile_, x[r], position(r), left[r], right[r], start, op, result);
      tile_.put(position(r), out.template converted<items>(result));
    }
    __syncwarp();  // the results of the chunk are in the stage
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      std::size_t const at = begin_ + (r * 32 + lane_) * std::size_t{items};
      out.store_vector(at, tile_.template get<vector_of<typename Sink::element, items>>(at));
    }
  }

 private:
  __device__ std::size_t position(unsigned r) const {
    return begin_ + (lane_ * rows + (r ^ turn_)) * std::size_t{items};
  }
  __device__ A vector_total(unsigned r, Op const& op) const {
    typename Tile::template lane_items<items> x;
    tile_.template load<items>(position(r), x);
    return lane_total<items>(tile_, x, position(r), op);
  }

  Tile const& tile_;
  std::size_t begin_;
  unsigned lane_, turn_;
  A node_[2 * rows];  // a heap over the vectors, in the order of the lane's accesses
  siblings<A> beside_;
};

}  // namespace upsweep::device
