/// Summed-area tables: both scans of a matrix in one launch.
#pragma once

#include <upsweep/cuda/arguments.cuh>
#include <upsweep/cuda/launch.cuh>
#include <upsweep/cuda/tables/scan_table.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace upsweep::device {

/// Tiles of 128 rows and columns for accumulators of 4 bytes, of 64 rows for others; smaller ones
/// for tables that would not occupy every multiprocessor.
template <class A>
using table_shape_of = table_shape<8, sizeof(A) <= 4 ? 16 : 8, 4, 2>;
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

/// The call that scans matrices in tiles of `Shape`.
template <class Shape, class T>
[[nodiscard]] table_call table_call_of(detail::matrices<T> const& m, void const* out) {
  std::size_t const tile_rows = divide_up(m.rows, Shape::height),
                    tile_columns = divide_up(m.columns, Shape::width);
  // One after the other, since products of larger numbers could wrap.
  constexpr std::size_t most = std::size_t{1} << 30;
  detail::expects(tile_rows <= most && tile_columns <= most / tile_rows &&
                      m.planes <= most / (tile_rows * tile_columns),
                  "upsweep::gpu: the table has more than 2^30 tiles of a few thousand elements");
  return {m.planes,
          m.rows,
          m.columns,
          static_cast<unsigned>(tile_rows),
          static_cast<unsigned>(tile_columns),
          static_cast<void const*>(m.first) == out};
}

template <table_scan along, class Shape, class A, class Op, class T, class R>
void launch_table_scan(gpu const& on, cuda_device const& device,
                       detail::matrices<T const> const& in, detail::matrices<R> const& out,
                       Op const& op) {
  auto const call = table_call_of<Shape>(in, out.first);
  cuda_plan const plan = pick_table_scan<along, Shape, A, T, R>(call, device);
  auto const scratch = cuda_workspace::take(on.workspace, on.stream, plan.workspace_bytes);
  launch<scan_table<along, Shape, A, Op, T, R>>(
      plan, on, device, matrix_memory_of<Shape::items>(in), matrix_memory_of<Shape::items>(out),
      call, op, words_of_lease(scratch));
}

template <class T, class R>
void summed_area_on(gpu const& on, detail::matrices<T const> const& in,
                    detail::matrices<R> const& table) {
  using A = table_accumulator<R>;
  using large = table_shape_of<A>;
  if (in.empty()) return;
  cuda_device const device = cuda_device::current();
  if (table_call_of<large>(in, nullptr).tiles() <
      2 * static_cast<std::size_t>(device.multiprocessors))
    launch_table_scan<table_scan::both, small_table_shape<A>, A>(on, device, in, table, plus{});
  else
    launch_table_scan<table_scan::both, large, A>(on, device, in, table, plus{});
}

}  // namespace upsweep::device
