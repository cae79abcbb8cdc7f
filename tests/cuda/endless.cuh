/// Elements without memory, for tests of more than 2^32 of them: inputs that are computed, and
/// outputs that are compared.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace upsweep::test {

/// prefix(m) of ones in float, by the tree: totals of blocks are powers of two, and only combining
/// them rounds.
__host__ __device__ inline float prefix_of_ones(std::uint64_t m) {
  float sum = 0;
  for (int k = 63; k >= 0; --k)
    if (m >> k & 1) sum += static_cast<float>(std::uint64_t{1} << k);
  return sum;
}

/// The number i at index i.
class numbers {
 public:
  using value_type = std::uint64_t;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  using reference = std::uint64_t;
  using pointer = void;

  numbers() = default;
  __host__ __device__ explicit numbers(std::int64_t at) : at_(at) {}
  __host__ __device__ reference operator*() const { return static_cast<std::uint64_t>(at_); }
  __host__ __device__ reference operator[](difference_type i) const {
    return static_cast<std::uint64_t>(at_ + i);
  }
  __host__ __device__ numbers& operator+=(difference_type i) { return at_ += i, *this; }
  __host__ __device__ numbers& operator-=(difference_type i) { return at_ -= i, *this; }
  __host__ __device__ numbers& operator++() { return *this += 1; }
  __host__ __device__ numbers& operator--() { return *this -= 1; }
  __host__ __device__ numbers operator++(int) { return numbers(at_++); }
  __host__ __device__ numbers operator--(int) { return numbers(at_--); }
  __host__ __device__ friend numbers operator+(numbers a, difference_type i) { return a += i; }
  __host__ __device__ friend numbers operator+(difference_type i, numbers a) { return a += i; }
  __host__ __device__ friend numbers operator-(numbers a, difference_type i) { return a -= i; }
  __host__ __device__ friend difference_type operator-(numbers a, numbers b) {
    return a.at_ - b.at_;
  }
  friend bool operator==(numbers, numbers) = default;
  friend auto operator<=>(numbers, numbers) = default;

 private:
  std::int64_t at_ = 0;
};

/// An output without memory: what is stored at index i is compared with right(i), and differences
/// are counted.
template <class T, class Right>
class compared {
 public:
  class place {
   public:
    __host__ __device__ place(std::int64_t at, unsigned long long* wrong)
        : at_(at), wrong_(wrong) {}
    __host__ __device__ place const& operator=([[maybe_unused]] T value) const {
#ifdef __CUDA_ARCH__
      atomicAdd(wrong_ + 1, 1ull);
      if (value != Right{}(static_cast<std::uint64_t>(at_))) atomicAdd(wrong_, 1ull);
#endif
      return *this;
    }
    __host__ __device__ operator T() const { return T{}; }  // NOLINT: a reference can be read

   private:
    std::int64_t at_;
    unsigned long long* wrong_;
  };
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  using reference = place;
  using pointer = void;

  compared() = default;
  __host__ __device__ compared(std::int64_t at, unsigned long long* wrong)
      : at_(at), wrong_(wrong) {}
  __host__ __device__ place operator*() const { return {at_, wrong_}; }
  __host__ __device__ place operator[](difference_type i) const { return {at_ + i, wrong_}; }
  __host__ __device__ compared& operator+=(difference_type i) { return at_ += i, *this; }
  __host__ __device__ compared& operator-=(difference_type i) { return at_ -= i, *this; }
  __host__ __device__ compared& operator++() { return *this += 1; }
  __host__ __device__ compared& operator--() { return *this -= 1; }
  __host__ __device__ compared operator++(int) { return {at_++, wrong_}; }
  __host__ __device__ compared operator--(int) { return {at_--, wrong_}; }
  __host__ __device__ friend compared operator+(compared a, difference_type i) { return a += i; }
  __host__ __device__ friend compared operator+(difference_type i, compared a) { return a += i; }
  __host__ __device__ friend compared operator-(compared a, difference_type i) { return a -= i; }
  __host__ __device__ friend difference_type operator-(compared a, compared b) {
    return a.at_ - b.at_;
  }
  friend bool operator==(compared a, compared b) { return a.at_ == b.at_; }
  friend auto operator<=>(compared a, compared b) { return a.at_ <=> b.at_; }

 private:
  std::int64_t at_ = 0;
  unsigned long long* wrong_ = nullptr;
};

struct one {
  __host__ __device__ float operator()(std::uint64_t) const { return 1.0f; }
};
struct prefix_at {
  __host__ __device__ float operator()(std::uint64_t i) const { return prefix_of_ones(i + 1); }
};
struct triangle {
  __host__ __device__ std::uint64_t operator()(std::uint64_t i) const {
    return i % 2 == 0 ? i / 2 * (i + 1) : (i + 1) / 2 * i;
  }
};

}  // namespace upsweep::test
