/// A random-access range that computes its elements from their index.
#pragma once

#include <upsweep/core/compiler.hpp>

#include <compare>
#include <cstddef>
#include <span>  // brings the iterator tags
#include <type_traits>

namespace upsweep {

namespace detail {

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

}  // namespace detail

}  // namespace upsweep
