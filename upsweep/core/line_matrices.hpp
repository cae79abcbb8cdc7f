/// Views of any rank as matrices, so that an executor can scan or reduce all their lines along an
/// axis at once.
#pragma once

#include <upsweep/core/view.hpp>

#include <cstddef>
#include <utility>

namespace upsweep::detail {

/// Matrices whose rows or columns are the lines of two views along an axis. If `out` is without the
/// axis, its stride is 0 there.
template <class T, class R>
struct line_matrices {
  bool fit;  ///< false if the strides have no such matrices
  matrices<T> in;
  matrices<R> out;
  bool along_rows;  ///< the lines are rows
};

/// Dimensions that are one in both views, as their strides nest.
struct merged_dimensions {
  std::size_t extent = 1;
  std::ptrdiff_t in = 0, out = 0;  ///< strides
  bool is_axis = false;

  [[nodiscard]] std::ptrdiff_t distance() const {
    return (in < 0 ? -in : in) + (out < 0 ? -out : out);
  }
};

/// Columns are the dimensions with the smallest strides, so that neighbors are next to each other.
template <class T, class R, nd_view In, nd_view Out>
[[nodiscard]] line_matrices<T, R> line_matrices_of(In const& in, Out const& out, std::size_t axis) {
  constexpr std::size_t most = 3;
  auto const out_stride = [&](std::size_t d) {
    if (out.rank() == in.rank()) return static_cast<std::ptrdiff_t>(out.stride(d));
    return d == axis ? 0 : static_cast<std::ptrdiff_t>(out.stride(d - (d > axis)));
  };
  merged_dimensions found[most];
  std::size_t count = 0;
  for (std::size_t d = 0; d < in.rank(); ++d) {
    merged_dimensions const next{extent_of(in, d), static_cast<std::ptrdiff_t>(in.stride(d)),
                                 out_stride(d), d == axis};
    if (next.extent == 1 && !next.is_axis) continue;
    auto const size = static_cast<std::ptrdiff_t>(next.extent);
    merged_dimensions* const last = count > 0 ? &found[count - 1] : nullptr;
    if (last && !last->is_axis && !next.is_axis && last->in == next.in * size &&
        last->out == next.out * size) {
      last->extent *= next.extent;
      last->in = next.in;
      last->out = next.out;
    } else if (count < most) {
      found[count++] = next;
    } else {
      return {};
    }
  }
  std::size_t nearest = 0;
  for (std::size_t k = 1; k < count; ++k)
    if (found[k].distance() < found[nearest].distance()) nearest = k;
  merged_dimensions const columns = found[nearest];
  merged_dimensions planes, rows;
  for (std::size_t k = 0; k < count; ++k)
    if (k != nearest) planes = std::exchange(rows, found[k]);
  if (planes.is_axis) std::swap(planes, rows);
  return {true,
          {in.data_handle(), planes.extent, rows.extent, columns.extent, planes.in, rows.in,
           columns.in},
          {out.data_handle(), planes.extent, rows.extent, columns.extent, planes.out, rows.out,
           columns.out},
          columns.is_axis};
}

}  // namespace upsweep::detail
