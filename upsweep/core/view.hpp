/// n-dimensional views: the concept that std::mdspan and similar views satisfy, and a small strided
/// view.
#pragma once

#include <upsweep/core/errors.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <type_traits>

namespace upsweep {

/// A view with a rank, extents, strides (in elements) and a pointer to its first element:
/// std::mdspan with a strided layout and the default accessor, Kokkos::mdspan,
/// upsweep::strided_view.
template <class V>
concept nd_view = requires(V const& v) {
  typename V::element_type;
  { v.rank() } -> std::convertible_to<std::size_t>;
  { v.extent(0) } -> std::convertible_to<std::size_t>;
  { v.stride(0) } -> std::convertible_to<std::ptrdiff_t>;
  { v.data_handle() } -> std::convertible_to<typename V::element_type*>;
};

namespace detail {

/// The extent of dimension `d` as a size; a view's own index type may be signed (std::dextents<int,
/// 2>).
template <nd_view V>
[[nodiscard]] std::size_t extent_of(V const& view, std::size_t d) {
  return static_cast<std::size_t>(view.extent(d));
}

/// Matrices of the same extents, one after the other; strides count elements.
template <class T>
struct matrices {
  T* first;
  std::size_t planes, rows, columns;
  std::ptrdiff_t plane_stride, row_stride, column_stride;

  [[nodiscard]] bool empty() const { return planes == 0 || rows == 0 || columns == 0; }
};
/// A view of one or two dimensions as one matrix, which has one row if it has one dimension.
template <class T, nd_view V>
[[nodiscard]] matrices<T> matrix_of(V const& view) {
  std::size_t const last = view.rank() - 1;
  return {view.data_handle(),
          1,
          last > 0 ? extent_of(view, 0) : 1,
          extent_of(view, last),
          0,
          static_cast<std::ptrdiff_t>(last > 0 ? view.stride(0) : 0),
          static_cast<std::ptrdiff_t>(view.stride(last))};
}

}  // namespace detail

/// A non-owning view of up to 32 dimensions. Extents and strides are in elements; strides may be
/// negative or 0.
template <class T>
class strided_view {
 public:
  using element_type = T;
  static constexpr std::size_t max_rank = 32;

  /// Row-major (C order): the last dimension is contiguous.
  strided_view(T* data, std::span<std::size_t const> extents) : data_(data), rank_(extents.size()) {
    if (rank_ > max_rank)
      detail::fail("strided_view: %zu dimensions, but at most %zu are supported", rank_, max_rank);
    std::ptrdiff_t stride = 1;
    for (std::size_t d = rank_; d-- > 0;) {
      extent_[d] = extents[d];
      stride_[d] = stride;
      stride *= static_cast<std::ptrdiff_t>(extents[d]);
    }
  }
  strided_view(T* data, std::initializer_list<std::size_t> extents)
      : strided_view(data, std::span(extents.begin(), extents.size())) {}

  strided_view(T* data, std::span<std::size_t const> extents,
               std::span<std::ptrdiff_t const> strides)
      : strided_view(data, extents) {
    if (strides.size() != rank_)
      detail::fail("strided_view: %zu extents but %zu strides", rank_, strides.size());
    for (std::size_t d = 0; d < rank_; ++d) stride_[d] = strides[d];
  }
  strided_view(T* data, std::initializer_list<std::size_t> extents,
               std::initializer_list<std::ptrdiff_t> strides)
      : strided_view(data, std::span(extents.begin(), extents.size()),
                     std::span(strides.begin(), strides.size())) {}

  [[nodiscard]] std::size_t rank() const { return rank_; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return extent_[d]; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t d) const { return stride_[d]; }
  [[nodiscard]] T* data_handle() const { return data_; }

  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] T& operator()(Index... index) const {
    std::ptrdiff_t offset = 0;
    std::size_t d = 0;
    ((offset += static_cast<std::ptrdiff_t>(index) * stride_[d++]), ...);
    return data_[offset];
  }

 private:
  T* data_;
  std::size_t rank_;
  std::size_t extent_[max_rank] = {};
  std::ptrdiff_t stride_[max_rank] = {};
};

}  // namespace upsweep
