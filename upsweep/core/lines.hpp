/// The lines of an n-dimensional view along one axis, as ranges.
#pragma once

#include <upsweep/core/indexed_range.hpp>
#include <upsweep/core/view.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

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
