/// n-dimensional views: the concept that std::mdspan and similar views satisfy, and a small strided
/// view.
#pragma once

#include <upsweep/core/compiler.hpp>
#include <upsweep/core/errors.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>  // brings the iterator concepts
#include <type_traits>

namespace upsweep::detail {

/// The range of elements(0), elements(1), ..., elements(size - 1). `Elements` is a small value that
/// names its element type, `value`.
template <class Elements>
class indexed_range {
 public:
  class iterator {
   public:
    using value_type = typename Elements::value;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    using reference = std::invoke_result_t<Elements const&, std::ptrdiff_t>;

    iterator() = default;
    iterator(Elements const& elements, std::ptrdiff_t i) : elements_(elements), i_(i) {}

    reference operator*() const { return elements_(i_); }
    UPSWEEP_BOTH constexpr reference operator[](std::ptrdiff_t i) const {
      return elements_(i_ + i);
    }
    iterator& operator+=(std::ptrdiff_t i) { return i_ += i, *this; }
    iterator& operator-=(std::ptrdiff_t i) { return i_ -= i, *this; }
    iterator& operator++() { return ++i_, *this; }
    iterator& operator--() { return --i_, *this; }
    iterator operator++(int) { return {elements_, i_++}; }
    iterator operator--(int) { return {elements_, i_--}; }
    friend iterator operator+(iterator it, std::ptrdiff_t i) { return it += i; }
    friend iterator operator+(std::ptrdiff_t i, iterator it) { return it += i; }
    friend iterator operator-(iterator it, std::ptrdiff_t i) { return it -= i; }
    friend std::ptrdiff_t operator-(iterator const& a, iterator const& b) { return a.i_ - b.i_; }
    friend bool operator==(iterator const& a, iterator const& b) { return a.i_ == b.i_; }
    friend std::strong_ordering operator<=>(iterator const& a, iterator const& b) {
      return a.i_ <=> b.i_;
    }

    [[nodiscard]] Elements const& elements() const { return elements_; }
    [[nodiscard]] std::ptrdiff_t index() const { return i_; }

   private:
    Elements elements_{};
    std::ptrdiff_t i_ = 0;
  };

  indexed_range(Elements const& elements, std::size_t size) : elements_(elements), size_(size) {}
  [[nodiscard]] iterator begin() const { return {elements_, 0}; }
  [[nodiscard]] iterator end() const { return {elements_, static_cast<std::ptrdiff_t>(size_)}; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  Elements elements_;
  std::size_t size_;
};

}  // namespace upsweep::detail

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

namespace detail {

/// The elements [first, last); std::ranges::subrange of libstdc++ 12 does not compile with
/// clang 14.
template <class It>
struct elements_from_to {
  It first, last;
  [[nodiscard]] It begin() const { return first; }
  [[nodiscard]] It end() const { return last; }
};
/// The elements [from, to) of a range.
template <class R>
auto elements_between(R& range, std::size_t from, std::size_t to) {
  using D = std::ranges::range_difference_t<R>;
  auto const first = std::ranges::begin(range);
  return elements_from_to<std::ranges::iterator_t<R>>{first + static_cast<D>(from),
                                                      first + static_cast<D>(to)};
}

/// True for the iterators of libstdc++'s std::vector<bool>, whose elements are bits.
template <class It>
concept bit_iterator = requires(It it) {
  it._M_p;
  it._M_offset;
};

/// True when an element of `It` has an address. A value or a proxy, such as a bundle of lines, has
/// none.
template <class It>
inline constexpr bool has_place =
    std::is_lvalue_reference_v<std::iter_reference_t<It>> || bit_iterator<It>;

/// The address of element i, in bits.
template <class It>
  requires has_place<It>
std::uintptr_t place_of(It first, std::size_t i) {
  first += static_cast<std::iter_difference_t<It>>(i);
  if constexpr (bit_iterator<It>)
    return reinterpret_cast<std::uintptr_t>(first._M_p) * 8 + first._M_offset;
  else
    return reinterpret_cast<std::uintptr_t>(std::addressof(*first)) * 8;
}

/// Whether one of the n >= 1 elements from `first` on is at the address `place`, in bits. There are
/// no false positives. Equally spaced elements take constant time. Others are found if they are
/// contiguous in pieces of at least 512 bytes, as in libstdc++'s deque, with one probe per piece.
template <class It>
bool holds_place(It first, std::size_t n, std::uintptr_t place) {
  auto const is_at = [&](std::ptrdiff_t i) {
    return i >= 0 && static_cast<std::size_t>(i) < n &&
           place_of(first, static_cast<std::size_t>(i)) == place;
  };
  auto const from = [&](std::size_t i) {
    return static_cast<std::ptrdiff_t>(place - place_of(first, i));
  };
  std::ptrdiff_t const stride = n == 1 ? 0 : from(0) - from(1),
                       last = static_cast<std::ptrdiff_t>(n - 1);
  // Unsigned products may wrap, if the first two of scattered elements are far apart.
  if (place_of(first, n - 1) - place_of(first, 0) == (n - 1) * static_cast<std::uintptr_t>(stride))
    return stride == 0 ? from(0) == 0 : is_at(from(0) / stride);
  constexpr std::ptrdiff_t bits = bit_iterator<It> ? 1 : 8 * sizeof(std::iter_value_t<It>),
                           piece = bits < 4096 ? 4096 / bits : 1;
  for (std::ptrdiff_t i = 0; i <= last; i += piece) {
    std::ptrdiff_t const distance = from(static_cast<std::size_t>(i));
    if (distance <= -piece * bits || distance >= piece * bits) continue;
    if (is_at(i + distance / bits) || is_at(i - distance / bits))
      return true;  // forwards, backwards
  }
  return false;
}

/// Whether an end of one of two ranges of n >= 1 elements is an element of the other, unless the
/// two ranges are the same.
template <class A, class B>
bool overlaps(A a, B b, std::size_t n) {
  std::uintptr_t const a_first = place_of(a, 0), a_last = place_of(a, n - 1),
                       b_first = place_of(b, 0), b_last = place_of(b, n - 1);
  if (a_first == b_first && a_last == b_last) return false;  // in place
  return holds_place(a, n, b_first) || holds_place(a, n, b_last) || holds_place(b, n, a_first) ||
         holds_place(b, n, a_last);
}

/// The sums of i * stride over several strides, 0 <= i <= most for each: the distances between the
/// bytes of two views.
class distances {
 public:
  /// Adds a stride, in bytes. Equal strides are merged; larger strides come first.
  void add(std::size_t stride, std::size_t most) {
    if (stride == 0 || most == 0) return;
    std::size_t at = 0;
    while (at < size_ && term_[at].stride > stride) ++at;
    if (at == size_ || term_[at].stride != stride) {
      for (std::size_t i = size_++; i > at; --i) term_[i] = term_[i - 1];
      term_[at] = {stride, 0};
    }
    term_[at].most += most;
  }
  [[nodiscard]] std::size_t largest(std::size_t from = 0) const {
    std::size_t sum = 0;
    for (; from < size_; ++from) sum += term_[from].stride * term_[from].most;
    return sum;
  }

  /// Whether `distance` is one of the sums. Few multiples of a stride need testing if it exceeds
  /// the reach of all smaller strides. Interleaved strides can need many tests; after `steps` of
  /// them the answer is no.
  [[nodiscard]] bool contain(std::size_t distance, int steps = 10'000) const {
    return contain(0, distance, steps);
  }

 private:
  struct term {
    std::size_t stride, most;
  };

  bool contain(std::size_t from, std::size_t distance, int& steps) const {
    if (from == size_ || distance == 0) return distance == 0;
    auto const [stride, most] = term_[from];
    std::size_t const rest = largest(from + 1),
                      possible = distance / stride < most ? distance / stride : most;
    for (std::size_t multiple = possible; distance - multiple * stride <= rest; --multiple) {
      if (steps-- <= 0) return false;
      if (contain(from + 1, distance - multiple * stride, steps)) return true;
      if (multiple == 0) break;
    }
    return false;
  }

  std::size_t size_ = 0;
  term term_[64 + 1];
};

/// Adds the strides of `view` to `all`; returns its lowest address, and sets `any` to whether it
/// has elements.
template <nd_view V>
std::uintptr_t add_strides(distances& all, V const& view, bool& any) {
  constexpr std::size_t size = sizeof(typename V::element_type);
  auto lowest = reinterpret_cast<std::uintptr_t>(view.data_handle());
  for (std::size_t d = 0; d < view.rank(); ++d) {
    if (extent_of(view, d) == 0) any = false;
    if (extent_of(view, d) <= 1) continue;
    auto const stride = static_cast<std::ptrdiff_t>(view.stride(d));
    std::size_t const most = extent_of(view, d) - 1,
                      length = static_cast<std::size_t>(stride < 0 ? -stride : stride) * size;
    if (stride < 0) lowest -= length * most;
    all.add(length, most);
  }
  all.add(1, size - 1);
  return lowest;
}

/// Whether two views have a byte in common: whether the distance from the lowest byte of `a` to the
/// highest of `b` is the sum of a distance inside each. Exact for views of up to 32 dimensions
/// whose own strides do not interleave in thousands of ways.
template <nd_view A, nd_view B>
bool share_memory(A const& a, B const& b) {
  if (a.rank() + b.rank() > 64) return false;
  distances of_b, of_both;
  bool any = true;
  auto const lowest_b = add_strides(of_b, b, any), lowest_a = add_strides(of_both, a, any);
  (void)add_strides(of_both, b, any);
  auto const highest_b = lowest_b + of_b.largest();
  return any && lowest_a <= highest_b && of_both.contain(highest_b - lowest_a);
}

}  // namespace detail

}  // namespace upsweep
