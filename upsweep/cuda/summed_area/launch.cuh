/// Scans of matrices in one launch: summed-area tables, and all lines along an axis.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/summed_area/scan_bands.hpp>
#include <upsweep/cuda/summed_area/scan_table.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// Tiles of 128 columns, and of 128 rows for accumulators of 4 bytes, 64 for 8, 32 for 16; of 32
/// columns and 16 rows for others. Smaller ones for tables that would not occupy every
/// multiprocessor.
template <class A>
using table_shape_of = table_shape<sizeof(A) <= 16 ? 8 : 4,
                                   sizeof(A) <= 4   ? 16
                                   : sizeof(A) <= 8 ? 8
                                                    : 4,
                                   sizeof(A) <= 16 ? 4 : 1, 2>;
template <class A>
using small_table_shape = table_shape<4, 8, 4, 4>;

/// The accumulators of sums that are stored as R. Integers wrap.
template <class R>
using table_accumulator =
    std::conditional_t<std::is_floating_point_v<R>, R,
                       std::conditional_t<(sizeof(R) <= 4), unsigned, unsigned long long>>;

template <unsigned items, class T>
[[nodiscard]] matrix_memory<T> matrix_memory_of(detail::matrices<T> const& m) {
  constexpr std::size_t piece = vector_items<T>(items);
  auto const whole = [](std::ptrdiff_t stride) {
    return stride % static_cast<std::ptrdiff_t>(piece) == 0;
  };
  return {m.first, m.plane_stride, m.row_stride, m.column_stride,
          m.column_stride == 1 && whole(m.plane_stride) && whole(m.row_stride) &&
              reinterpret_cast<std::uintptr_t>(m.first) % (piece * sizeof(T)) == 0};
}

/// Matrices of so many tiles can be scanned by one launch. Compared one after the other, since
/// products of larger numbers could wrap.
template <class Shape, class T>
[[nodiscard]] bool has_few_tiles(detail::matrices<T> const& m) {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::size_t const tile_rows = divide_up(m.rows, Shape::height),
                    tile_columns = divide_up(m.columns, Shape::width);
  return tile_rows <= most && tile_columns <= most / tile_rows &&
         m.planes <= most / (tile_rows * tile_columns);
}

/// The call that scans matrices in tiles of `Shape`.
template <class Shape, class T>
[[nodiscard]] table_call table_call_of(detail::matrices<T> const& m) {
  return {{m.rows, m.columns},
          m.planes,
          static_cast<unsigned>(divide_up(m.rows, Shape::height)),
          static_cast<unsigned>(divide_up(m.columns, Shape::width))};
}

/// The plan of a scan of matrices, in tiles of `Shape`.
template <table_scan along, class Shape, class A, class T, class R>
[[nodiscard]] cuda_plan pick_table_scan(table_call const& call, cuda_device const& device) {
  auto const totals = table_scratch::of<along>(call);
  std::size_t gathered = 0;  // by the look-backs of a block
  if (totals.columns > 0) gathered = line_bits * line_levels(call.tile_rows) * Shape::width;
  if (totals.rows > 0) {
    std::size_t const of_rows = line_bits * line_levels(call.tile_columns) * Shape::height;
    if (of_rows > gathered) gathered = of_rows;
  }
  return {
      .algorithm = cuda_algorithm::scan_table,
      .tile = std::size_t{Shape::height} * Shape::width,
      .blocks = detail::at_most(call.tiles(),
                                static_cast<std::size_t>(device.multiprocessors) * Shape::blocks),
      .threads = Shape::threads,
      .shared_bytes = gathered * sizeof(boxed<A>),
      .launches = 1,
      .workspace_bytes = workspace_words::needed<A>(totals.columns + totals.rows) * sizeof(word),
      .traffic_bytes = call.planes * call.rows * call.columns * (sizeof(T) + sizeof(R))};
}

template <table_scan along, table_output output, class Shape, class A, class Op, class T, class R>
void launch_table_scan(gpu const& on, cuda_device const& device,
                       detail::matrices<T const> const& in, detail::matrices<R> const& out,
                       bool reversed, Op const& op, scan_start<A> const& start) {
  auto call = table_call_of<Shape>(in);
  call.reversed = reversed;
  cuda_plan const plan = pick_table_scan<along, Shape, A, T, R>(call, device);
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch<scan_table<along, output, Shape, A, Op, T, R>>(
      plan, on, device, matrix_memory_of<Shape::items>(in), matrix_memory_of<Shape::items>(out),
      call, op, start, words_of_lease(scratch));
}

/// Bands of 64 rows, in tiles of 128 columns for accumulators of 4 bytes, 64 for 8.
template <class A>
using band_shape_of = table_shape<8, 8, sizeof(A) <= 4 ? 4 : 2, 1>;

/// Whether the rows of the matrices are contiguous and begin at multiples of 16 bytes, which bands
/// require.
template <class T>
[[nodiscard]] bool has_aligned_rows(detail::matrices<T const> const& m) {
  return has_vectors<T> && matrix_memory_of<items_of<T>>(m).vectors;
}

/// The plan of a scan of matrices in bands, and the stages of its ring.
template <class Shape, class A, class T, class R>
[[nodiscard]] cuda_plan pick_band_scan(table_call const& call, cuda_device const& device,
                                       unsigned& stages) {
  using layout = band_layout<Shape, T, A>;
  constexpr std::size_t of_barriers = 512, fixed = 2 * Shape::height * sizeof(A) + of_barriers;
  stages = layout(call).stages(device.shared_bytes - fixed);
  std::size_t const bands = call.planes * call.tile_rows,
                    totals = call.tile_rows > 1 ? bands * call.columns : 0;
  return {.algorithm = cuda_algorithm::scan_bands,
          .tile = layout::size,
          .blocks = detail::at_most(bands, static_cast<std::size_t>(device.multiprocessors)),
          .threads = band_warps<Shape>::threads,
          .shared_bytes = layout(call).bytes(stages),
          .launches = 1,
          .workspace_bytes = workspace_words::needed<A>(totals) * sizeof(word),
          .traffic_bytes = call.planes * call.rows * call.columns * (sizeof(T) + sizeof(R))};
}

/// Sums in bands; returns false if a block of the device cannot have three stages. Rows are
/// aligned.
template <class Shape, class A, class T, class R>
[[nodiscard]] bool take_bands(gpu const& on, cuda_device const& device,
                              detail::matrices<T const> const& in,
                              detail::matrices<R> const& table) {
  auto const call = table_call_of<Shape>(in);
  unsigned stages = 0;
  cuda_plan const plan = pick_band_scan<Shape, A, T, R>(call, device, stages);
  if (stages < 3) return false;
  auto const scratch = take_workspace(on, plan.workspace_bytes);
  launch<scan_bands<Shape, A, plus, T, R>>(plan, on, device, matrix_memory_of<Shape::items>(in),
                                           matrix_memory_of<Shape::items>(table), call, plus{},
                                           stages, words_of_lease(scratch));
  return true;
}

/// Whether bands are faster than tiles: if each has 32 tiles or more, and three fourths of the
/// multiprocessors have one until the end.
[[nodiscard]] inline bool fills_bands(table_call const& call, cuda_device const& device) {
  auto const blocks = static_cast<std::size_t>(device.multiprocessors);
  std::size_t const bands = call.planes * call.tile_rows;
  return call.tile_columns >= 32 && 4 * bands >= 3 * blocks * divide_up(bands, blocks);
}

template <class T, class R>
void summed_area_on(gpu const& on, detail::matrices<T const> const& in,
                    detail::matrices<R> const& table) {
  using A = table_accumulator<R>;
  using large = table_shape_of<A>;
  using small = small_table_shape<A>;
  constexpr auto both = table_scan::both;
  if (in.empty()) return;
  detail::expects(has_few_tiles<small>(in),
                  "summed_area_table: the table has more than 2^30 tiles");
  cuda_device const device = device_of(on);
  if (has_aligned_rows(in) && fills_bands(table_call_of<band_shape_of<A>>(in), device) &&
      take_bands<band_shape_of<A>, A>(on, device, in, table))
    return;
  if (table_call_of<large>(in).tiles() < 2 * static_cast<std::size_t>(device.multiprocessors))
    launch_table_scan<both, table_output::inclusive, small, A>(on, device, in, table, false, plus{},
                                                               scan_start<A>{});
  else
    launch_table_scan<both, table_output::inclusive, large, A>(on, device, in, table, false, plus{},
                                                               scan_start<A>{});
}

/// Scans or reductions of all lines along an axis. Fewer than 32 lines of more than 2^14 elements
/// would leave most of a tile empty, so for them it returns false, and for operators that only
/// scan_on() and reduce_on() take.
template <table_output output, class T, class R, class Op, class A>
bool take_lines(gpu const& on, detail::line_matrices<T const, R> lines, bool reverse, Op const& op,
                A const* initial, A const* first) {
  if constexpr (refuses<Op, A> || is_std_complex<A> || std::is_same_v<Op, exact_sum>) {
    return false;
  } else {
    check_accumulator<A>();
    auto& [fit, in, out, along_rows] = lines;
    std::size_t const count = in.planes * (along_rows ? in.rows : in.columns),
                      size = along_rows ? in.columns : in.rows;
    auto const combine = kernel_operation_for<T, R>(op);
    using By = std::remove_cv_t<decltype(combine)>;
    using B = accumulator_t<By, T>;
    using shape = table_shape_of<B>;
    if ((count < 32 && size > std::size_t{1} << 14) || !has_few_tiles<shape>(in)) return false;
    auto const start_at_end = [&](auto& m) {
      std::ptrdiff_t& stride = along_rows ? m.column_stride : m.row_stride;
      m.first += static_cast<std::ptrdiff_t>(size - 1) * stride;
      stride = -stride;
    };
    scan_start<B> const start{initial != nullptr ? static_cast<B>(*initial) : B{},
                              first != nullptr ? static_cast<B>(*first) : B{}, initial != nullptr};
    if (reverse) {
      start_at_end(in);
      start_at_end(out);
    }
    cuda_device const device = device_of(on);
    if (along_rows)
      launch_table_scan<table_scan::rows, output, shape, B>(on, device, in, out, reverse, combine,
                                                            start);
    else
      launch_table_scan<table_scan::columns, output, shape, B>(on, device, in, out, reverse,
                                                               combine, start);
    return true;
  }
}

template <scan_kind kind, class T, class R, class Op, class A>
bool scan_lines_on(gpu const& on, detail::line_matrices<T const, R> const& lines, bool reverse,
                   Op const& op, A const* initial, A const* first) {
  constexpr auto output =
      kind == scan_kind::inclusive ? table_output::inclusive : table_output::exclusive;
  return take_lines<output>(on, lines, reverse, op, initial, first);
}
template <class T, class R, class Op, class A>
bool reduce_lines_on(gpu const& on, detail::line_matrices<T const, R> const& lines, bool reverse,
                     Op const& op, A const* initial) {
  return take_lines<table_output::total>(on, lines, reverse, op, initial, initial);
}

}  // namespace upsweep::device
