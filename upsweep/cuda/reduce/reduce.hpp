/// The reduction of any number of elements in one launch: prefix(n) of the combine tree.
/// n element loads · 1 launch · the bits of the combine tree
/// docs/design/0004-cuda.md
///
/// All blocks but the last one take tiles in turn and publish their totals. The last block combines
/// these totals: up to 1023 with all of its warps, more with one warp that looks back from the
/// start, so that when the other blocks are done, only their last totals remain to be read. It also
/// combines the elements after the last whole tile.
#pragma once

#include <upsweep/cuda/device/lookback.hpp>
#include <upsweep/cuda/device/prefix_table.hpp>
#include <upsweep/cuda/device/tile.hpp>

#include <cstddef>

namespace upsweep::device {

/// The total of the chunk that begins at `begin`, in every lane, without the nodes for a
/// down-sweep. Operators that are exact and commutative combine each lane's elements first.
template <bool whole, class Shape, class Source, class Op>
__device__ typename Source::accumulator chunk_total_as(Source const& in, std::size_t begin,
                                                       unsigned lane, Op const& op) {
  using A = typename Source::accumulator;
  constexpr unsigned rows = Shape::rows, items = Shape::items;
  typename Source::template lane_items<items> held[rows];
  std::size_t const first = begin + lane * std::size_t{items};
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    if constexpr (whole)
      in.template load_whole<items>(first + r * std::size_t{Shape::row}, held[r]);
    else
      in.template load<items>(first + r * std::size_t{Shape::row}, held[r]);
  }
  if constexpr (sums_narrow<Source>) {
    widened_narrow<typename Source::element> sum[1] = {};
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) sum[0] = add_narrow(held[r], sum[0]);
    return static_cast<A>(rows_total<1>(sum, lane, op));
  } else {
    A row[rows];
#pragma unroll
    for (unsigned r = 0; r < rows; ++r)
      row[r] = lane_total<items>(in, held[r], first + r * std::size_t{Shape::row}, op);
    if constexpr (is_exact<Op, A> && is_commutative<Op>) {
      A total[1] = {row[0]};
#pragma unroll
      for (unsigned r = 1; r < rows; ++r) total[0] = op(total[0], row[r]);
      return rows_total<1>(total, lane, op);
    } else {
      return rows_total<rows>(row, lane, raised(op, Shape::lane_level));
    }
  }
}

/// The same, with one test for the whole chunk: with a test for each row, narrow elements would
/// have to be combined one by one.
template <class Shape, class Source, class Op>
__device__ typename Source::accumulator chunk_total(Source const& in, std::size_t begin,
                                                    unsigned lane, Op const& op) {
  if (in.has_whole(begin, Shape::chunk)) return chunk_total_as<true, Shape>(in, begin, lane, op);
  return chunk_total_as<false, Shape>(in, begin, lane, op);
}

/// The total of the 2^k chunks from `begin` on, one after another.
template <unsigned k, class Shape, class Source, class Op>
__device__ auto run_total(Source const& in, std::size_t begin, unsigned lane, Op const& op) {
  if constexpr (k == 0) {
    return chunk_total<Shape>(in, begin, lane, op);
  } else {
    auto const earlier = run_total<k - 1, Shape>(in, begin, lane, op);
    std::size_t const middle = begin + (std::size_t{Shape::chunk} << (k - 1));
    auto const later = run_total<k - 1, Shape>(in, middle, lane, op);
    return raised(op, Shape::chunk_level + k - 1)(earlier, later);
  }
}

/// The sink of a reduction's down-sweep: it stores only the exclusive prefix of position `size`,
/// which is prefix(size).
template <class A>
struct total_sink {
  std::size_t size;
  boxed<A>* total;

  template <unsigned items>
  __device__ void store(std::size_t i, A const* before) const {
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (i + j == size) total[0] = before[j];
  }
};

/// Stores a reduction's accumulator, prefix(n) without the initial value, in out[0].
template <class A, class Op>
struct accumulator_result {
  A* out;

  __device__ void store(A const& total, Op const&) const { out[0] = total; }
};
/// Stores a reduction's result, finish(initial op prefix(n)), in out[0].
template <class R, class A, class Op>
struct finished_result {
  R* out;
  A initial;
  bool has_initial;

  __device__ void store(A const& total, Op const& op) const {
    out[0] = static_cast<R>(detail::finish(op, has_initial ? op(initial, total) : total));
  }
};

/// The shared memory of a block. `rows` is the number of rows of 32 lanes in a tile.
template <class A, unsigned warps, unsigned rows>
struct reduce_memory {
  static_assert(rows <= 1024, "one warp combines 32 groups of 32 rows");

  shared_values<A, 2 * warps>& totals;  ///< of the warps, double-buffered
  shared_values<A, rows>& row_totals;   ///< of the rows after the last whole tile
  shared_values<A, 32>& groups;         ///< of 32 such rows
  shared_values<A, 5>& before_row;      ///< siblings, in its group of 32, of the first partial row
  prefix_table<A> tiles;
  boxed<A>* lookback_memory;
  shared_values<A, 1>& result;
  ticket (&launch)[1];
};
template <unsigned k, class Shape>
inline constexpr unsigned tile_rows = Shape::warps * Shape::rows << k;

/// Called by every block but the last one: publishes totals of tiles of 2^k · Shape::size elements
/// from `first` on, of which each warp reduces a contiguous run; the last ones first if
/// `backwards`.
template <unsigned k, class Shape, class Source, class Memory, class Op>
__device__ void reduce_tiles(Source const& in, std::size_t first, std::size_t tiles,
                             workspace_words const& workspace, Memory const& memory, Op const& op,
                             bool backwards = false) {
  using A = typename Source::accumulator;
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  unsigned turn = 0;
  for (std::size_t i = blockIdx.x; i < tiles; i += gridDim.x - 1, ++turn) {
    std::size_t const tile = backwards ? tiles - 1 - i : i;
    constexpr std::size_t run = std::size_t{Shape::chunk} << k;
    A const total = run_total<k, Shape>(in, first + (tile * Shape::warps + warp) * run, lane, op);
    unsigned const side = turn % 2 * Shape::warps;
    if (lane == 0) memory.totals[side + warp] = total;
    // This buffer is complete, and the epoch is known. A warp that writes the other buffer's next
    // values has passed the barrier after which those before were read.
    __syncthreads();
    if (warp != turn % Shape::warps) continue;
    A const one = memory.totals[side + lane % Shape::warps];
    siblings<A, Shape::warp_levels> beside;
    A const own = butterfly<Shape::warp_levels>(one, beside, raised(op, Shape::chunk_level + k));
    ticket const launch = memory.launch[0];
    if (lane == 0) workspace.totals<A>(launch.epoch).publish(static_cast<unsigned>(tile), own);
  }
}

/// The totals of Shape::rows of the `rows` rows that begin at `begin`: lane l gets that of row
/// `first` + mirrored<Shape::rows>(l). Instead of rows past the end the last row is read again, so
/// that no load needs a test.
template <bool whole, class Shape, class Source, class Op>
__device__ typename Source::accumulator each_total_from(Source const& in, std::size_t begin,
                                                        unsigned first, unsigned rows,
                                                        unsigned lane, Op const& op) {
  constexpr unsigned count = Shape::rows, items = Shape::items;
  typename Source::template lane_items<items> held[count];
  std::size_t at[count];
#pragma unroll
  for (unsigned r = 0; r < count; ++r) {
    unsigned const row = first + r < rows ? first + r : rows - 1;
    at[r] = begin + row * std::size_t{Shape::row} + lane * std::size_t{items};
    if constexpr (whole)
      in.template load_whole<items>(at[r], held[r]);
    else
      in.template load<items>(at[r], held[r]);
  }
  typename Source::accumulator total[count];
#pragma unroll
  for (unsigned r = 0; r < count; ++r) total[r] = lane_total<items>(in, held[r], at[r], op);
  return each_row_total(total, lane, raised(op, Shape::lane_level));
}

/// The totals of the whole rows after the last whole tile, and of groups of 32 of them. `any`
/// replaces rows that do not exist.
template <class Shape, class Source, class Memory, class Op>
__device__ void total_rows(Source const& in, std::size_t begin, unsigned rows,
                           typename Source::accumulator const& any, Memory const& memory,
                           Op const& op) {
  using A = typename Source::accumulator;
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  constexpr unsigned at_once = Shape::rows;
  bool const whole = in.has_whole(begin, rows * std::size_t{Shape::row});
  for (unsigned first = warp * at_once; first < rows; first += Shape::warps * at_once) {
    A const total = whole ? each_total_from<true, Shape>(in, begin, first, rows, lane, op)
                          : each_total_from<false, Shape>(in, begin, first, rows, lane, op);
    unsigned const row = first + mirrored<at_once>(lane % at_once);
    if (lane < at_once && row < rows) memory.row_totals[row] = total;
  }
  __syncthreads();  // the totals of all whole rows are complete
  for (unsigned g = warp; g <= rows / 32; g += Shape::warps) {
    A total = any;
    if (g * 32 + lane < rows) total = memory.row_totals[g * 32 + lane];
    siblings<A> beside;
    A const group = butterfly<5>(total, beside, raised(op, Shape::row_level));
    if (lane == 0) memory.groups[g] = group;
#pragma unroll
    for (unsigned k = 0; k < 5; ++k)
      if (g == rows / 32 && lane == rows % 32) memory.before_row[k] = beside.total[k];
  }
  __syncthreads();  // groups and before_row, which the first warp reads, are complete
}

/// Called by the last block: looks back over all tiles, appends the elements after the last whole
/// one, and stores the result.
template <unsigned k, class Shape, class Source, class Result, class Memory, class Op>
__device__ void finish_reduction(Source const& in, std::size_t n, Result const& result,
                                 workspace_words const& workspace, Memory const& memory,
                                 Op const& op) {
  using A = typename Source::accumulator;
  unsigned const lane = threadIdx.x % 32, warp = warp_in_block();
  std::size_t const tiles = n / Shape::size >> k, begin = (tiles * Shape::size) << k;
  unsigned const rows = static_cast<unsigned>((n - begin) / Shape::row);
  std::size_t const tail = begin + rows * std::size_t{Shape::row};  // start of the partial row
  typename Source::template lane_items<1> last;
  in.template load<1>(n - 1, last);
  A const any = in.template item<1>(last, 0, n - 1);
  warp_chunk<tile_shape<1, 1, Shape::items>, Source> row(tail, lane);
  if (warp == 0 && tail < n) row.load(in);
  total_rows<Shape>(in, begin, rows, any, memory, op);
  unsigned const count = static_cast<unsigned>(tiles);
  ticket const launch = memory.launch[0];
  tile_totals<A> const published = workspace.totals<A>(launch.epoch);
  Op const of_tiles = raised(op, Shape::level + k);
  if (count <= most_table_tiles) {
    read_table<Shape::warps>(count, any, published, memory.tiles, warp, lane, of_tiles);
    __syncthreads();  // the table is complete
  }
  if (warp != 0) return;

  scan_start<A> start{any, any};
  if constexpr (depends_on_length<Op>)
    if (result.has_before) start = {result.before, any, false, true};
  prefix_of<A, Op> before;
  if (count <= most_table_tiles) {
    prefix_of<A, Op> after;
    prefixes_from(memory.tiles, count, before, after, start, lane, of_tiles);
  } else {
    before =
        lookback<A, Op>(published, lane, start.left(), start.has_before, memory.lookback_memory)
            .template around<true>(count, any, of_tiles)
            .before;
  }
  A const group = memory.groups[lane < rows / 32 ? lane : 0];
  siblings<A> beside;
  Op const of_rows = raised(op, Shape::row_level), of_groups = raised(of_rows, 5);
  (void)butterfly<5>(group, beside, of_groups);
  bool const there = before.there();
  beside.append_to(before, lane, of_groups);
  before = before.from_lane(rows / 32, there);
  append_siblings(before, memory.before_row, rows % 32, of_rows);
  if (tail < n) {
    (void)row.up(in, op);
    row.template down<scan_kind::exclusive>(in, total_sink<A>{n, &memory.result[0]}, before, before,
                                            start, op);
    __syncwarp();  // the lane of position n has stored its exclusive prefix
    A const total = memory.result[0];
    before = prefix_of<A, Op>(total, true);
  }
  if (lane == 0) result.store(before.value(), op);
  // All blocks have published, so have read the epoch.
  if (lane == 0) begin_next_launch(workspace, launch.epoch);
}

/// Blocks: at most one for each tile, and one more. The last one waits for the others, which do not
/// wait for any block; so at least two blocks must be resident together.
template <unsigned k, class Shape, class Source, class Result>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    reduce(__grid_constant__ Source const in, std::size_t n, Result result,
           workspace_words workspace) {
  using A = typename Source::accumulator;
  __shared__ shared_values<A, 2 * Shape::warps> totals;
  __shared__ shared_values<A, tile_rows<k, Shape>> row_totals;
  __shared__ shared_values<A, 32> groups;
  __shared__ shared_values<A, 5> before_row;
  __shared__ shared_values<A, lookback<A, typename Source::operation>::memory_size> lookback_memory;
  __shared__ shared_values<A, 1> total;
  __shared__ ticket launch[1];
  __shared__ shared_values<A, 32> tile_groups;
  __shared__ shared_values<A, 5> before_tile;
  __shared__ shared_values<A, 5> after_tile;
  auto const op = raised(in.op, 0);
  reduce_memory<A, Shape::warps, tile_rows<k, Shape>> const memory{
      totals,          row_totals, groups, before_row, {tile_groups, before_tile, after_tile},
      lookback_memory, total,      launch};
  wait_for_earlier_work();
  // By one thread of each block, because all blocks read the same word.
  if (threadIdx.x == 0) launch[0] = this_launch(workspace);
  if (blockIdx.x + 1 < gridDim.x)
    return reduce_tiles<k, Shape>(in, 0, n / Shape::size >> k, workspace, memory, op);
  finish_reduction<k, Shape>(in, n, result, workspace, memory, op);
}

}  // namespace upsweep::device
