/// Scans of a matrix along its columns, its rows, or first along columns and then along rows: in
/// one pass over the elements, with tiles in registers.
/// One read of each element, one store of each result · 1 launch · the bits of the combine tree
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/summed_area/line_lookback.hpp>
#include <upsweep/cuda/summed_area/tile.hpp>

#include <cstddef>

namespace upsweep::device {

/// Along which dimensions a matrix is scanned.
enum class table_scan { columns, rows, both };

/// What is stored: every prefix, or only the total of each line.
enum class table_output { inclusive, exclusive, total };

/// A call: how many matrices of which extents, and their tiles by rows of them.
struct table_call : table_extents {
  std::size_t planes;
  unsigned tile_rows, tile_columns;
  bool reversed = false;  ///< the strides are those from the last element to the first

  [[nodiscard]] __host__ __device__ std::size_t tiles() const {
    return planes * tile_rows * tile_columns;
  }
};

/// The temporary storage of a call: a total for each column in each tile, then one for each row, of
/// dimensions along which there are several tiles.
struct table_scratch {
  std::size_t columns, rows;  ///< numbers of totals

  template <table_scan along>
  [[nodiscard]] __host__ __device__ static table_scratch of(table_call const& call) {
    bool const down = along != table_scan::rows && call.tile_rows > 1,
               across = along != table_scan::columns && call.tile_columns > 1;
    return {down ? call.planes * call.tile_rows * call.columns : 0,
            across ? call.planes * call.tile_columns * call.rows : 0};
  }
};

/// Tile (i, j) of a matrix.
struct tile_place {
  unsigned plane, i, j;

  __device__ static tile_place of(table_call const& call, unsigned tile) {
    unsigned const row = tile / call.tile_columns;
    return {row / call.tile_rows, row % call.tile_rows, tile % call.tile_columns};
  }
  /// Whether lines end in this tile.
  template <table_scan along>
  __device__ bool is_last(table_call const& call) const {
    return along == table_scan::columns ? i + 1 == call.tile_rows : j + 1 == call.tile_columns;
  }
};

/// The shared memory of a block, besides what look-backs gather.
template <class Shape, class A>
struct table_memory {
  alignas(
      16) boxed<A> columns[Shape::warps + 1][Shape::width];  ///< of warps: totals, then prefixes
  boxed<A> rows[2][Shape::height];  ///< totals, then the prefixes before and after the tile
};

template <class Shape, class A, class Op>
class table_block {
  using prefix = prefix_of<A, Op>;
  using tile = table_tile<Shape, A, Op>;
  static constexpr unsigned warps = Shape::warps, width = Shape::width, items = Shape::items,
                            rows = Shape::rows;

 public:
  __device__ table_block(table_call const& call, table_scratch const& scratch,
                         tile_totals<A> const& totals, table_memory<Shape, A>& memory, Op const& op)
      : call_(call), scratch_(scratch), totals_(totals), memory_(memory), op_(op) {}

  /// The part of this thread in a tile.
  __device__ tile_part part(tile_place const& t) const {
    tile_part at{std::size_t{t.i} * Shape::height + warp_in_block() * rows,
                 std::size_t{t.j} * width + threadIdx.x % 32 * items, 0, 0};
    at.rows = extent_left(call_.rows, at.row, rows);
    at.columns = extent_left(call_.columns, at.column, items);
    return at;
  }

  /// Scans a tile along columns. Called by all warps. `before` becomes the exclusive prefixes of
  /// this thread's columns. Without `results`, only what later tiles need is published.
  __device__ void scan_columns(tile& x, tile_place const& t, bool results,
                               A (&before)[items]) const {
    unsigned const warp = warp_in_block(), lane = threadIdx.x % 32, mine = threadIdx.x % width;
    auto& shared = memory_.columns;
    x.columns_up();
    A total[items], after[items];
#pragma unroll
    for (unsigned c = 0; c < items; ++c) total[c] = x.value(rows - 1, c);
    store_values(shared[warp] + lane * items, total);
    __syncthreads();  // shared[w] has the totals of warp w
    std::size_t const column = std::size_t{t.j} * width + mine;
    line_lookback<A, Op> const line(totals_, t.plane * call_.columns + column,
                                    call_.planes * call_.columns,
                                    column < call_.columns && scratch_.columns > 0, t.i,
                                    simt::dynamic_shared<boxed<A>>() + mine, width);
    if (threadIdx.x < width) line.publish(warp_totals(mine).total());
    if (!results && !line.completes_node()) return;
    line.gather(threadIdx.x / width, Shape::threads / width, x.value(0, 0), op_);
    __syncthreads();  // the blocks of tiles above are in shared memory
    if (threadIdx.x < width) {
      thread_tree<A, warps> const chunks = warp_totals(mine);
      auto const found = line.finish(chunks.total(), op_);
      prefix to[warps + 1];
      to[0] = found.before;
      to[warps] = found.after;
      chunks.down(to, op_);
#pragma unroll
      for (unsigned w = 0; w <= warps; ++w) shared[w][mine] = to[w].value();
    }
    __syncthreads();  // shared[w] has the exclusive prefixes of warp w
    load_values(shared[warp] + lane * items, before);
    load_values(shared[warp + 1] + lane * items, after);
#pragma unroll
    for (unsigned c = 0; c < items; ++c)
      x.column_down(c, prefix(before[c], t.i > 0 || warp > 0), prefix(after[c], true));
  }

  /// The first half of the scan along rows: the prefixes of the rows before a tile. Warps do
  /// not wait for one another. `results` as in scan_columns().
  __device__ void find_rows(tile& x, tile_place const& t, bool results) const {
    unsigned const lane = threadIdx.x % 32, first = warp_in_block() * rows, mine = lane % rows;
    auto& shared = memory_.rows;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      A const total = x.row_up(r);
      if (lane == 31) shared[0][first + r] = total;
    }
    __syncwarp();  // the totals of this warp's rows are in shared memory
    std::size_t const row = std::size_t{t.i} * Shape::height + first + mine;
    tile_totals<A> const totals{totals_.words + scratch_.columns * words_of<A>, totals_.epoch};
    line_lookback<A, Op> const line(totals, t.plane * call_.rows + row, call_.planes * call_.rows,
                                    row < call_.rows && scratch_.rows > 0, t.j,
                                    simt::dynamic_shared<boxed<A>>() + first + mine, Shape::height);
    A const own = shared[0][first + mine];
    if (lane < rows) line.publish(own);
    if (!results && !line.completes_node()) return;
    line.gather(lane / rows, 32 / rows, own, op_);
    __syncwarp();  // the blocks of tiles on the left are in shared memory
    if (lane < rows) {
      auto const found = line.finish(own, op_);
      shared[0][first + mine] = found.before.value();
      shared[1][first + mine] = found.after.value();
    }
    __syncwarp();  // the prefixes of rows are in shared memory
  }
  /// The second half, for row r of each warp. Returns the exclusive prefix of this thread.
  __device__ A scan_row(tile& x, tile_place const& t, unsigned r) const {
    unsigned const row = warp_in_block() * rows + r;
    A const before = memory_.rows[0][row], after = memory_.rows[1][row];
    return x.row_down(r, prefix(before, t.j > 0), prefix(after, true));
  }

 private:
  /// The totals of a column of the tile in each warp, and their tree.
  __device__ thread_tree<A, warps> warp_totals(unsigned column) const {
    thread_tree<A, warps> chunks;
#pragma unroll
    for (unsigned w = 0; w < warps; ++w) chunks.value(w) = memory_.columns[w][column];
    chunks.up(op_);
    return chunks;
  }

  table_call const& call_;
  table_scratch scratch_;
  tile_totals<A> totals_;
  table_memory<Shape, A>& memory_;
  Op const& op_;
};

/// The element of the matrix in row `row` and column `column`, as an accumulator.
template <table_scan along, class A, class Op, class T>
__device__ A table_element(table_call const& call, Op const& op, T const& x, std::size_t row,
                           std::size_t column) {
  if constexpr (along == table_scan::both) {
    return static_cast<A>(x);
  } else {
    std::size_t const i = along == table_scan::columns ? row : column,
                      size = along == table_scan::columns ? call.rows : call.columns;
    return detail::lift(op, x, call.reversed ? size - 1 - i : i);
  }
}

/// The results of row r of a tile. `edge` are the exclusive prefixes before the thread's part.
template <table_scan along, table_output output, class Shape, class A, class Op>
__device__ void table_results(table_tile<Shape, A, Op> const& x, tile_part const& at, unsigned r,
                              A const (&edge)[Shape::items], scan_start<A> const& start,
                              Op const& op, A (&result)[Shape::items]) {
#pragma unroll
  for (unsigned c = 0; c < Shape::items; ++c) {
    if constexpr (output != table_output::exclusive)
      result[c] = x.value(r, c);
    else if constexpr (along == table_scan::columns)
      result[c] = r == 0 ? edge[c] : x.value(r - (r > 0), c);
    else
      result[c] = c == 0 ? edge[0] : x.value(r, c - (c > 0));
    if (start.has_initial) result[c] = static_cast<A>(op(start.initial, result[c]));
    if (output == table_output::exclusive &&
        (along == table_scan::columns ? at.row + r == 0 : at.column + c == 0))
      result[c] = start.first;
  }
}

template <table_scan along, table_output output, class Shape, class A, class Op, class T, class R>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scan_table(matrix_memory<T const> in, matrix_memory<R> out, table_call call, Op op,
               scan_start<A> start, workspace_words workspace) {
  __shared__ table_memory<Shape, A> memory;
  __shared__ ticket drawn[2];
  auto const tiles = static_cast<unsigned>(call.tiles());

  wait_for_earlier_work();
  if (threadIdx.x == 0) drawn[0] = draw_ticket(workspace);
  __syncthreads();  // the block knows its tile
  ticket mine = drawn[0];
  table_block<Shape, A, Op> const block(call, table_scratch::of<along>(call),
                                        workspace.totals<A>(mine.epoch), memory, op);
  for (unsigned slot = 1; mine.tile < tiles; slot ^= 1) {
    tile_place const t = tile_place::of(call, mine.tile);
    tile_part const at = block.part(t);
    auto const to = out.plane(t.plane);
    table_tile<Shape, A, Op> x(threadIdx.x % 32, op);
    x.load(in.plane(t.plane), call, at, [&](T const& one, unsigned r, unsigned c) {
      return table_element<along, A>(call, op, one, at.row + r, at.column + c);
    });
    bool const results = output != table_output::total || t.is_last<along>(call);
    A edge[Shape::items];
    if constexpr (along != table_scan::rows) block.scan_columns(x, t, results, edge);
    if constexpr (along != table_scan::columns) block.find_rows(x, t, results);
    ticket next{};
    // Not before: a tile that waits in a block delays all later ones.
    if (threadIdx.x == 0) next = draw_ticket(workspace);
    A front[Shape::rows];  // of the rows: all before the first store, so that shuffles overlap
    if constexpr (along != table_scan::columns) {
      if (results) {
#pragma unroll
        for (unsigned r = 0; r < Shape::rows; ++r) front[r] = block.scan_row(x, t, r);
      }
    }
#pragma unroll
    for (unsigned r = 0; r < Shape::rows; ++r) {
      if (!results) continue;
      if constexpr (along != table_scan::columns) edge[0] = front[r];
      A result[Shape::items];
      table_results<along, output>(x, at, r, edge, start, op, result);
      if constexpr (output != table_output::total)
        x.store_row(to, at, r, result);
      else if (along == table_scan::rows)
        x.store_last(to, call, at, r, result);
      else if (at.row + r + 1 == call.rows)
        x.store_row(to, at, r, result);
    }
    if (threadIdx.x == 0) drawn[slot] = next;
    __syncthreads();  // the next ticket is known; nothing else in shared memory is needed any more
    mine = drawn[slot];
  }
  if (threadIdx.x == 0) leave(workspace, mine.epoch);
}

}  // namespace upsweep::device
