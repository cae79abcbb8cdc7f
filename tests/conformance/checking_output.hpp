/// What the tests of more than 2^32 elements share.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace upsweep::test {

/// The sum of 0, ..., m - 1 modulo 2^64.
constexpr std::uint64_t triangle(std::uint64_t m) {
  return m % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m;
}

/// An output of so many elements without memory: when element i is stored, it is compared with
/// expected(i).
template <class Expected>
class checking_output {
 public:
  class reference {
   public:
    reference(std::atomic<std::uint64_t>* wrong, std::uint64_t at) : wrong_(wrong), at_(at) {}
    reference const& operator=(std::uint64_t value) const {
      if (value != Expected{}(at_)) wrong_->fetch_add(1, std::memory_order_relaxed);
      return *this;
    }
    operator std::uint64_t() const {
      return 0;
    }  // NOLINT: implicit, so that it counts as a reference

   private:
    std::atomic<std::uint64_t>* wrong_;
    std::uint64_t at_;
  };

  class iterator {
   public:
    using value_type = std::uint64_t;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    using reference = checking_output::reference;

    iterator() = default;
    iterator(std::atomic<std::uint64_t>* wrong, std::ptrdiff_t at) : wrong_(wrong), at_(at) {}
    reference operator*() const { return {wrong_, static_cast<std::uint64_t>(at_)}; }
    reference operator[](std::ptrdiff_t i) const {
      return {wrong_, static_cast<std::uint64_t>(at_ + i)};
    }
    iterator& operator+=(std::ptrdiff_t i) { return at_ += i, *this; }
    iterator& operator-=(std::ptrdiff_t i) { return at_ -= i, *this; }
    iterator& operator++() { return ++at_, *this; }
    iterator& operator--() { return --at_, *this; }
    iterator operator++(int) { return {wrong_, at_++}; }
    iterator operator--(int) { return {wrong_, at_--}; }
    [[maybe_unused]] friend iterator operator+(iterator it, std::ptrdiff_t i) { return it += i; }
    [[maybe_unused]] friend iterator operator+(std::ptrdiff_t i, iterator it) { return it += i; }
    [[maybe_unused]] friend iterator operator-(iterator it, std::ptrdiff_t i) { return it -= i; }
    [[maybe_unused]] friend std::ptrdiff_t operator-(iterator a, iterator b) {
      return a.at_ - b.at_;
    }
    [[maybe_unused]] friend bool operator==(iterator a, iterator b) { return a.at_ == b.at_; }
    [[maybe_unused]] friend std::strong_ordering operator<=>(iterator a, iterator b) {
      return a.at_ <=> b.at_;
    }

   private:
    std::atomic<std::uint64_t>* wrong_ = nullptr;
    std::ptrdiff_t at_ = 0;
  };

  checking_output(std::uint64_t size, Expected) : size_(size) {}
  [[nodiscard]] iterator begin() { return {&wrong_, 0}; }
  [[nodiscard]] iterator end() { return {&wrong_, static_cast<std::ptrdiff_t>(size_)}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_.load(); }

 private:
  std::atomic<std::uint64_t> wrong_{0};
  std::uint64_t size_;
};

}  // namespace upsweep::test
