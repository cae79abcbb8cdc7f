/// A tile in shared memory, where a copy has put it: its elements as a source, and the totals of its chunks.
#pragma once

#include <upsweep/cuda/device/elements.hpp>
#include <upsweep/cuda/device/tree.hpp>

#include <cstddef>
#include <cstring>

#include <upsweep/simt/begin.hpp>

namespace upsweep::device {

using simt::shared_pointer;

/// A tile in its stage, as the source of its elements: positions are those of the whole input. All elements of a `whole` tile
/// exist; so nothing is tested, and the loads of several rows are under way together.
template <class Source, bool whole>
struct staged_tile {
  using operation = typename Source::operation;
  using accumulator = typename Source::accumulator;
  using element = typename Source::element;
  template <unsigned items>
  using lane_items = typename Source::template lane_items<items>;

  Source const& in;
  shared_pointer<element const> stage;
  std::size_t begin;  ///< position of the first element
  unsigned count;     ///< elements that there are

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

 private:
  template <unsigned step>
  __device__ void load_vector(unsigned at, element* x) const {
    if constexpr (has_vectors<element>) {
      using vector = simt::packed<element, step>;
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

/// The total of one chunk, in every lane, with one butterfly: a lane adds up neighbouring rows, that is `rows` vectors side by
/// side.
///
/// So that the lanes of a quarter warp meet in no bank, each takes its vectors in an order of its own: vector r ^ turn. On every
/// level that swaps the two operands in some of the lanes, which a select undoes where the operator needs it.
template <class Shape, class Source>
class blocked_chunk {
  using A = typename Source::accumulator;
  using Op = typename Source::operation;
  static constexpr unsigned rows = Shape::rows, items = Shape::items;
  static_assert(rows <= 32, "a part of a chunk is whole lanes");

 public:
  __device__ explicit blocked_chunk(unsigned lane)
      : lane_(lane), turn_((rows < 8 ? lane * rows / 8 : lane) % (rows < 8 ? rows : 8)) {}

  /// Leaves the totals of the chunk's `parts` parts in `part_totals`, if there are several.
  template <unsigned parts, class Tile>
  __device__ A total(Tile const& in, std::size_t begin, shared_pointer<boxed<A>> part_totals, Op const& op) const {
    A block[rows];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) block[r] = vector_total(in, begin + (lane_ * rows + (r ^ turn_)) * std::size_t{items}, op);
#pragma unroll
    for (unsigned size = 1; size < rows; size *= 2)
#pragma unroll
      for (unsigned r = 0; r < rows; r += 2 * size) block[r] = combine_swapped(block[r], block[r + size], (turn_ & size) != 0, op);
    A mine = block[0];
#pragma unroll
    for (unsigned k = 0; k < 5; ++k) {
      if (parts > 1 && parts << k == 32 && lane_ % (32 / parts) == 0) part_totals[lane_ / (32 / parts)] = mine;
      A const other = simt::shuffle_xor(whole_warp, mine, 1 << k);
      mine = combine_swapped(mine, other, (lane_ >> k & 1) != 0, op);
    }
    return mine;
  }

 private:
  template <class Tile>
  __device__ static A vector_total(Tile const& in, std::size_t at, Op const& op) {
    typename Source::template lane_items<items> x;
    in.template load<items>(at, x);
    thread_tree<A, items> own;
#pragma unroll
    for (unsigned j = 0; j < items; ++j) own.value(j) = in.template item<items>(x, j, at);
    own.up(op);
    return own.total();
  }

  unsigned lane_, turn_;
};

}  // namespace upsweep::device
#include <upsweep/simt/end.hpp>
