/// Contract 4: more than 2^33 elements, without the memory for them. Takes some ten seconds, so it
/// runs in `make test-full` only.
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>

namespace upsweep::test {
namespace {

constexpr std::uint64_t count = (std::uint64_t{1} << 33) + 12345;

/// The sum of 0, ..., m - 1 modulo 2^64.
constexpr std::uint64_t triangle(std::uint64_t m) {
  return m % 2 == 0 ? m / 2 * (m - 1) : (m - 1) / 2 * m;
}

/// An output without memory: it checks each inclusive prefix of 0, 1, 2, ... when it is stored.
class checking_output {
 public:
  class reference {
   public:
    reference(std::atomic<std::uint64_t>* wrong, std::uint64_t at) : wrong_(wrong), at_(at) {}
    reference const& operator=(std::uint64_t prefix) const {
      if (prefix != triangle(at_ + 1)) wrong_->fetch_add(1, std::memory_order_relaxed);
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

  explicit checking_output(std::uint64_t size) : size_(size) {}
  [[nodiscard]] iterator begin() { return {&wrong_, 0}; }
  [[nodiscard]] iterator end() { return {&wrong_, static_cast<std::ptrdiff_t>(size_)}; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_.load(); }

 private:
  std::atomic<std::uint64_t> wrong_{0};
  std::uint64_t size_;
};

TEST(beyond_32_bits, reduction_of_a_counting_range) {
  EXPECT_EQ(reduce(std::views::iota(std::uint64_t{0}, count)), triangle(count));
}

TEST(beyond_32_bits, reduction_of_a_counting_range_in_the_trees_order) {
  // Every partial sum is a whole number below 2^53, so it is exact unless an element is lost.
  auto const ones = std::views::iota(std::uint64_t{0}, count) |
                    std::views::transform([](std::uint64_t) { return 1.0; });
  EXPECT_EQ(reduce(ones), static_cast<double>(count));
}

TEST(beyond_32_bits, scan_of_a_counting_range) {
  constexpr std::uint64_t n = (std::uint64_t{1} << 32) + 12345;
  checking_output out(n);
  inclusive_scan(std::views::iota(std::uint64_t{0}, n), out);
  EXPECT_EQ(out.wrong(), 0u);
}

}  // namespace
}  // namespace upsweep::test
