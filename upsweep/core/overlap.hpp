/// Whether two ranges or views share memory when they are not contiguous: deques, reversed ranges,
/// packed bits, n-dimensional views.
#pragma once

#include <upsweep/core/view.hpp>

#include <cstddef>
#include <cstdint>
#include <span>  // brings the iterator concepts
#include <type_traits>

namespace upsweep {

namespace detail {

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
  if (from(0) - from(n - 1) == last * stride)
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
