/// The lines of an n-dimensional view along one axis, as ranges.
#pragma once

#include <upsweep/core/view.hpp>

#include <cstddef>
#include <type_traits>
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

namespace upsweep {

namespace detail {

/// Elements that are `stride` apart.
template <class T>
struct strided_elements {
  using value = std::remove_cv_t<T>;
  T* line = nullptr;
  std::ptrdiff_t stride = 1;

  UPSWEEP_BOTH constexpr T& operator()(std::ptrdiff_t i) const { return line[i * stride]; }
};

/// A range of n such elements.
template <class T>
class strided_line : public indexed_range<strided_elements<T>> {
 public:
  strided_line(T* first, std::ptrdiff_t stride, std::size_t size)
      : indexed_range<strided_elements<T>>({first, stride}, size) {}
};

/// The lines of `view` along `axis`, numbered in row-major order of the other dimensions. With axis
/// == rank, every element is a line.
template <nd_view V>
class lines_of {
 public:
  lines_of(V const& view, std::size_t axis) : view_(view), axis_(axis) {
    for (std::size_t d = 0; d < view.rank(); ++d)
      if (d != axis) count_ *= extent_of(view, d);
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t size() const {
    return axis_ < view_.rank() ? extent_of(view_, axis_) : 1;
  }
  [[nodiscard]] std::ptrdiff_t stride() const {
    return axis_ < view_.rank() ? static_cast<std::ptrdiff_t>(view_.stride(axis_)) : 1;
  }

  /// The first element of a line.
  [[nodiscard]] auto* first(std::size_t line) const {
    std::ptrdiff_t offset = 0;
    for (std::size_t d = view_.rank(); d-- > 0;) {
      if (d == axis_) continue;
      offset += static_cast<std::ptrdiff_t>(line % extent_of(view_, d)) *
                static_cast<std::ptrdiff_t>(view_.stride(d));
      line /= extent_of(view_, d);
    }
    return view_.data_handle() + offset;
  }

 private:
  V const& view_;
  std::size_t axis_;
  std::size_t count_ = 1;
};

/// `axis` in [0, rank), where negative values count from the last dimension.
[[nodiscard]] inline std::size_t checked_axis(int axis, std::size_t rank) {
  std::ptrdiff_t const a = axis < 0 ? axis + static_cast<std::ptrdiff_t>(rank) : axis;
  if (a < 0 || a >= static_cast<std::ptrdiff_t>(rank))
    fail(axis < 0 ? "axis: there is no axis -%zu in a view of %zu dimensions"
                  : "axis: there is no axis %zu in a view of %zu dimensions",
         static_cast<std::size_t>(axis < 0 ? -axis : axis), rank);
  return static_cast<std::size_t>(a);
}

}  // namespace detail

}  // namespace upsweep
