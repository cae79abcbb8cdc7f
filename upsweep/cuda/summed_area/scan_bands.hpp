/// Scans of a matrix first along its columns and then along its rows, in one pass over it, by
/// persistent blocks of specialized warps: each scans one band of rows after the other.
/// One read of each element, one store of each result · 1 launch · the bits of the combine tree
/// docs/design/0013-cuda-verbs.md
///
/// A block goes through its band from left to right. So the prefixes of rows stay in the block, and
/// it knows its next tiles and loads them ahead, into a ring of stages. One warp fetches tiles, a
/// group adds up their columns and publishes the totals, two groups look back along them in turn,
/// and a group scans and stores.
///
/// Progress: bands are drawn from above. In the order of bands, and of tiles from left to right, a
/// tile waits only for lower ones: until those of its block leave the ring, and for totals of
/// earlier bands.
///
/// In place: a tile is fetched before its results are stored, and nothing else reads it.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/scan/stages.hpp>
#include <upsweep/cuda/summed_area/line_lookback.hpp>
#include <upsweep/cuda/summed_area/scan_table.hpp>

#include <cstddef>

namespace upsweep::device {

// The warps and the shared memory of a block that scans bands of a matrix, and how it fetches
// tiles.

/// The warps of a block for bands as high as tiles of `Shape`, a table_shape: one that fetches, and
/// these.
template <class Shape>
struct band_warps {
  static constexpr unsigned scan = Shape::warps, sum = Shape::warps / 2,
                            look_back = Shape::width / 32, lookbacks = 2;  ///< groups of them
  static constexpr unsigned threads = 32 * (1 + scan + sum + lookbacks * look_back);
};

/// Tile k of a band, and the epoch of the launch.
struct band_tile {
  unsigned band, k, epoch;
};

/// The shared memory of a block. A stage of the ring has a slot of the small arrays too.
template <class T, class A>
struct band_memory {
  T* elements;         ///< of the stages
  boxed<A>* columns;   ///< of the stages, for each chunk and column: totals, then prefixes
  boxed<A>* blocks;    ///< of look-backs
  boxed<A>* digits;    ///< of the counters of rows
  boxed<A>* rows;      ///< for each row: its total, then the prefix before the tile; that after it
  band_tile* fetched;  ///< in the stages
  word *full, *empty;  ///< the tile is in its stage; all scanning warps have read it
  word *summed, *prefixed;  ///< the columns' totals are stored; their prefixes are stored
  unsigned* group;
};

/// The dynamic shared memory of a block.
template <class Shape, class T, class A>
struct band_layout {
  static constexpr unsigned most_stages = 8, size = Shape::height * Shape::width;
  /// The prefixes before each chunk, and after the last one.
  static constexpr unsigned columns_size = (Shape::warps + 1) * Shape::width;
  static constexpr std::size_t stage_bytes = size * sizeof(T) + columns_size * sizeof(boxed<A>);
  static_assert(Shape::width * sizeof(T) % 16 == 0);

  unsigned blocks_size, digits_size;

  __host__ __device__ explicit band_layout(table_call const& call)
      : blocks_size(line_bits * line_levels(call.tile_rows) * Shape::width),
        digits_size(2 * static_cast<unsigned>(detail::floor_log2(call.tile_columns) + 1) *
                    Shape::height) {}

  /// Of `stages` stages.
  [[nodiscard]] std::size_t bytes(unsigned stages) const {
    return stages * stage_bytes +
           (band_warps<Shape>::lookbacks * blocks_size + digits_size) * sizeof(boxed<A>);
  }
  /// The stages that fit in so many bytes.
  [[nodiscard]] unsigned stages(std::size_t available) const {
    unsigned fit = most_stages;
    while (fit > 0 && bytes(fit) > available) --fit;
    return fit;
  }
};

/// Called by a whole warp: starts the copy of a tile, of which the matrix has `rows` rows and
/// `columns` columns. Its rows begin at multiples of 16 bytes, `pitch` elements apart. A lane then
/// arrives by arrive_when_copied(), and by arrive() for what it has copied at once, the less than
/// 16 bytes at the end of a row.
template <class Shape, class T>
__device__ void copy_tile(T* to, T const* from, std::ptrdiff_t pitch, unsigned rows,
                          unsigned columns, unsigned lane) {
  constexpr unsigned items = items_of<T>, pieces = Shape::width / items,
                     in_row = pieces < 32 ? pieces : 32, row_step = 32 / in_row,
                     steps_in_row = pieces / in_row,
                     steps = Shape::height / row_step * steps_in_row;
  static_assert(Shape::height % row_step == 0);
  unsigned const row = lane / in_row, column = lane % in_row * items;
  to += row * Shape::width + column;
  from += row * pitch + column;
  if (rows == Shape::height && columns == Shape::width) {
#pragma unroll 16
    for (unsigned i = 0; i < steps; ++i) {
      unsigned const r = i / steps_in_row * row_step, c = i % steps_in_row * 32 * items;
      copy_vector(to + r * Shape::width + c, from + r * pitch + c, items);
    }
    return;
  }
  for (unsigned i = 0; i < steps; ++i) {
    unsigned const r = i / steps_in_row * row_step, c = i % steps_in_row * 32 * items;
    if (row + r >= rows || column + c >= columns) continue;
    unsigned const left = columns - column - c;
    if (left >= items)
      copy_vector(to + r * Shape::width + c, from + r * pitch + c, items);
    else
      for (unsigned k = 0; k < left; ++k) to[r * Shape::width + c + k] = from[r * pitch + c + k];
  }
}

/// One warp of the kernel. The four roles are its four functions; each returns at the first ticket
/// after the last band.
template <class Shape, class A, class Op, class T, class R>
class band_warp {
  using tile = table_tile<Shape, A, Op>;
  using prefix = prefix_of<A, Op>;
  using layout = band_layout<Shape, T, A>;
  using warps = band_warps<Shape>;
  static constexpr unsigned chunks = Shape::warps, rows = Shape::rows, items = Shape::items,
                            height = Shape::height, width = Shape::width;

 public:
  __device__ band_warp(matrix_memory<T const> const& in, table_call const& call,
                       band_memory<T, A> const& memory, workspace_words const& workspace,
                       unsigned stages, Op const& op)
      : in_(in),
        call_(call),
        bands_(static_cast<unsigned>(call.planes) * call.tile_rows),
        memory_(memory),
        workspace_(workspace),
        stages_(stages),
        blocks_size_(layout(call).blocks_size),
        op_(op) {}

  /// Called by one thread, before the block synchronizes. Every lane arrives by itself, for which
  /// racecheck has a model, unlike for one that arrives for its warp.
  __device__ void make_barriers() const {
    for (unsigned s = 0; s < stages_; ++s) {
      arrival_barrier(memory_.full + s).init(2 * 32);  // what it copies at once, and the others
      arrival_barrier(memory_.empty + s).init(32 * warps::scan);
      arrival_barrier(memory_.summed + s).init(32 * warps::sum);
      arrival_barrier(memory_.prefixed + s).init(32 * warps::look_back);
    }
    group_.init();
  }

  /// The warp that fetches tiles. After the last band it passes a tile to each group that looks
  /// back.
  __device__ void fetch() const {
    for (ring_position stage{0, 1};;) {  // a stage is empty before its first round
      arrival_barrier(memory_.empty + stage.index).wait(stage.parity);
      ticket mine{};
      if (lane_ == 0) mine = draw_ticket(workspace_);
      mine = simt::shuffle(whole_warp, mine, 0);
      bool const ends = mine.tile >= bands_;
      unsigned const tiles = ends ? warps::lookbacks : call_.tile_columns;
      for (unsigned k = 0; k < tiles; ++k, stage.advance(stages_)) {
        arrival_barrier(memory_.empty + stage.index).wait(stage.parity);
        band_tile const t{mine.tile, k, mine.epoch};
        if (lane_ == 0) memory_.fetched[stage.index] = t;
        if (!ends)
          copy_tile<Shape>(staged(stage), in_.plane(plane(t)).at(first_row(t), first_column(t)),
                           in_.row_stride, rows_of(t), columns_of(t), lane_);
        full(stage).arrive_when_copied();
        full(stage).arrive();
      }
      if (!ends) continue;
      if (lane_ == 0) leave(workspace_, mine.epoch);
      return;
    }
  }

  /// One of the warps that add up columns.
  __device__ void add_up(unsigned warp) const {
    for (ring_position stage;; stage.advance(stages_)) {
      full(stage).wait(stage.parity);
      band_tile const t = memory_.fetched[stage.index];
      bool const ends = t.band >= bands_;
      for (unsigned chunk = warp; !ends && chunk < chunks; chunk += warps::sum) {
        tile x(lane_, op_);
        load(x, t, stage, chunk);
        x.columns_up();
        A total[items];
#pragma unroll
        for (unsigned c = 0; c < items; ++c) total[c] = x.value(rows - 1, c);
        store_values(columns(stage, chunk) + lane_ * items, total);
      }
      group_.sync();  // the totals of all chunks are stored
      for (unsigned c = 32 * warp + lane_; !ends && c < width; c += 32 * warps::sum)
        line(t, c, 0).publish(chunk_totals(stage, c).total());
      arrival_barrier(memory_.summed + stage.index).arrive();
      if (ends && t.k + 1 == warps::lookbacks) return;
    }
  }

  /// One of the warps that look back, a column for each lane.
  __device__ void look_back(unsigned warp) const {
    unsigned const group = warp / warps::look_back, column = 32 * (warp % warps::look_back) + lane_;
    ring_position stage;
    for (unsigned n = 0;; ++n, stage.advance(stages_)) {
      // The parity is of this round: the tile two before this one has been summed, and a ring has
      // three stages or more, so what was in this stage before has been, too.
      if (n % warps::lookbacks != group) continue;
      arrival_barrier(memory_.summed + stage.index).wait(stage.parity);
      band_tile const t = memory_.fetched[stage.index];
      if (t.band >= bands_) return arrival_barrier(memory_.prefixed + stage.index).arrive();
      thread_tree<A, chunks> const totals = chunk_totals(stage, column);
      line_lookback<A, Op> const mine = line(t, column, group);
      mine.gather(0, 1, totals.total(), op_);
      auto const found = mine.finish(totals.total(), op_);
      prefix to[chunks + 1];
      to[0] = found.before;
      to[chunks] = found.after;
      totals.down(to, op_);
#pragma unroll
      for (unsigned w = 0; w <= chunks; ++w) columns(stage, w)[column] = to[w].value();
      arrival_barrier(memory_.prefixed + stage.index).arrive();
    }
  }

  /// One of the warps that scan: chunk `chunk` of each tile.
  __device__ void scan(unsigned chunk, matrix_memory<R> const& out) const {
    A row_prefix{};  // row `lane` of the chunk: its prefix after the previous tile
    for (ring_position stage;; stage.advance(stages_)) {
      full(stage).wait(stage.parity);
      band_tile const t = memory_.fetched[stage.index];
      if (t.band >= bands_) return;
      tile x(lane_, op_);
      tile_part at = load(x, t, stage, chunk);
      x.columns_up();
      arrival_barrier(memory_.prefixed + stage.index).wait(stage.parity);
      A before[items], after[items];
      load_values(columns(stage, chunk) + lane_ * items, before);
      load_values(columns(stage, chunk + 1) + lane_ * items, after);
      arrival_barrier(memory_.empty + stage.index).arrive();
      bool const there = first_row(t) > 0 || chunk > 0;
#pragma unroll
      for (unsigned c = 0; c < items; ++c)
        x.column_down(c, prefix(before[c], there), prefix(after[c], true));
      scan_rows(x, chunk, t.k, row_prefix);
      at.row += first_row(t);
      at.column += first_column(t);
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        A result[items];
#pragma unroll
        for (unsigned c = 0; c < items; ++c) result[c] = x.value(r, c);
        x.store_row(out.plane(plane(t)), at, r, result);
      }
    }
  }

 private:
  /// Scans the rows of a chunk of tile k, of which the columns have been scanned. The warp waits
  /// for the next tile before it calls this again.
  __device__ void scan_rows(tile& x, unsigned chunk, unsigned k, A& row_prefix) const {
    boxed<A>* const before = memory_.rows + chunk * rows;
    boxed<A>* const after = before + height;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      A const total = x.row_up(r);
      if (lane_ == 31) before[r] = total;
    }
    __syncwarp();  // the totals of this warp's rows are in shared memory
    if (lane_ < rows) {
      line_counter<A, Op> const row(memory_.digits + chunk * rows + lane_, height);
      A const own = before[lane_];
      auto const found = row.next(k, own, k > 0 ? row_prefix : own, op_);
      before[lane_] = found.before.value();
      after[lane_] = row_prefix = found.after.value();
    }
    __syncwarp();  // the prefixes of rows are in shared memory
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      A const left = before[r], right = after[r];
      x.row_down(r, prefix(left, k > 0), prefix(right, true));
    }
  }

  /// Loads the elements of a chunk; returns where they are in the tile.
  __device__ tile_part load(tile& x, band_tile const& t, ring_position const& stage,
                            unsigned chunk) const {
    table_extents const size{rows_of(t), columns_of(t)};
    tile_part at{chunk * rows, lane_ * items, 0, 0};
    at.rows = extent_left(size.rows, at.row, rows);
    at.columns = extent_left(size.columns, at.column, items);
    matrix_memory<T const> const memory{staged(stage), 0, width, 1, true};
    x.load(memory, size, at, [](T const& one, unsigned, unsigned) { return static_cast<A>(one); });
    return at;
  }

  __device__ std::size_t plane(band_tile const& t) const { return t.band / call_.tile_rows; }
  __device__ std::size_t first_row(band_tile const& t) const {
    return std::size_t{t.band % call_.tile_rows} * height;
  }
  __device__ static std::size_t first_column(band_tile const& t) {
    return std::size_t{t.k} * width;
  }
  __device__ unsigned rows_of(band_tile const& t) const {
    return extent_left(call_.rows, first_row(t), height);
  }
  __device__ unsigned columns_of(band_tile const& t) const {
    return extent_left(call_.columns, first_column(t), width);
  }
  __device__ T* staged(ring_position const& stage) const {
    return memory_.elements + stage.index * layout::size;
  }
  /// The totals of a chunk's columns, or the prefixes before it.
  __device__ boxed<A>* columns(ring_position const& stage, unsigned chunk) const {
    return memory_.columns + stage.index * layout::columns_size + chunk * width;
  }
  __device__ arrival_barrier full(ring_position const& stage) const {
    return arrival_barrier(memory_.full + stage.index);
  }

  /// The totals of a column in each chunk, and their tree.
  __device__ thread_tree<A, chunks> chunk_totals(ring_position const& stage,
                                                 unsigned column) const {
    thread_tree<A, chunks> totals;
#pragma unroll
    for (unsigned w = 0; w < chunks; ++w) totals.value(w) = columns(stage, w)[column];
    totals.up(op_);
    return totals;
  }
  /// Column `column` of a tile, and the blocks of a group that looks back.
  __device__ line_lookback<A, Op> line(band_tile const& t, unsigned column, unsigned group) const {
    std::size_t const at = first_column(t) + column;
    return {workspace_.totals<A>(t.epoch),
            plane(t) * call_.columns + at,
            call_.planes * call_.columns,
            at < call_.columns && call_.tile_rows > 1,
            t.band % call_.tile_rows,
            memory_.blocks + group * blocks_size_ + column,
            width};
  }

  matrix_memory<T const> const& in_;
  table_call const& call_;
  unsigned bands_;
  band_memory<T, A> const& memory_;
  workspace_words workspace_;
  unsigned stages_, blocks_size_;
  Op const& op_;
  unsigned lane_ = threadIdx.x % 32;
  warp_group_barrier<1, warps::sum> group_{memory_.group};
};

template <class Shape, class A, class Op, class T, class R>
__global__ void __launch_bounds__(band_warps<Shape>::threads, 1)
    scan_bands(matrix_memory<T const> in, matrix_memory<R> out, table_call call, Op op,
               unsigned stages, workspace_words workspace) {
  using layout = band_layout<Shape, T, A>;
  using warps = band_warps<Shape>;
  __shared__ boxed<A> rows[2 * Shape::height];
  __shared__ band_tile fetched[layout::most_stages];
  __shared__ word full[layout::most_stages];
  __shared__ word empty[layout::most_stages];
  __shared__ word summed[layout::most_stages];
  __shared__ word prefixed[layout::most_stages];
  __shared__ unsigned group[1];
  T* const elements = simt::dynamic_shared<T>();
  auto* const columns = simt::pointer_cast<boxed<A>>(elements + stages * layout::size);
  auto* const blocks = columns + stages * layout::columns_size;
  auto* const digits = blocks + warps::lookbacks * layout(call).blocks_size;
  band_memory<T, A> const memory{elements, columns, blocks, digits,   rows, fetched,
                                 full,     empty,   summed, prefixed, group};
  band_warp<Shape, A, Op, T, R> const self(in, call, memory, workspace, stages, op);
  if (threadIdx.x == 0) self.make_barriers();
  wait_for_earlier_work();
  __syncthreads();  // barriers are initialized; from here on the warps synchronize only by them
  unsigned const warp = warp_in_block();
  if (warp < warps::scan)
    self.scan(warp, out);
  else if (warp < warps::scan + warps::sum)
    self.add_up(warp - warps::scan);
  else if (warp == warps::scan + warps::sum)
    self.fetch();
  else
    self.look_back(warp - warps::scan - warps::sum - 1);
}

}  // namespace upsweep::device
