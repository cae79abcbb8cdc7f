/// Segments for the tests of their kernels, in memory that must not be left.
#pragma once

#include <support/random.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace upsweep::test {

/// n numbers whose end is that of readable memory.
template <class T>
class numbers_before_fence {
 public:
  explicit numbers_before_fence(std::size_t n) : n_(n) {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t const bytes = (n * sizeof(T) + page - 1) / page * page;
    size_ = bytes + page;
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("mmap");
    auto* const fence = static_cast<std::byte*>(memory_) + bytes;
    if (mprotect(fence, page, PROT_NONE) != 0) throw std::runtime_error("mprotect");
    first_ = reinterpret_cast<T*>(fence) - n;
  }
  ~numbers_before_fence() { munmap(memory_, size_); }
  numbers_before_fence(numbers_before_fence const&) = delete;
  numbers_before_fence& operator=(numbers_before_fence const&) = delete;

  [[nodiscard]] T* data() { return first_; }
  [[nodiscard]] T const* data() const { return first_; }
  [[nodiscard]] T& operator[](std::size_t i) { return first_[i]; }

  /// Numbers of very different sizes, and -0.
  void fill(random_bits& next) {
    for (std::size_t i = 0; i < n_; ++i) {
      std::uint64_t const bits = next();
      double const size = std::ldexp(static_cast<double>(bits >> 40), -static_cast<int>(bits % 29));
      first_[i] = static_cast<T>(bits % 7 == 0 ? -0.0 : bits % 3 == 0 ? -size : size);
    }
  }

 private:
  std::size_t n_, size_ = 0;
  void* memory_ = nullptr;
  T* first_ = nullptr;
};

/// Where `count` segments of up to `longest` elements begin, and the end: in groups of random and
/// of equal lengths, and a batch of one element each.
inline std::vector<std::uint32_t> short_segments(random_bits& next, std::size_t count,
                                                 std::uint32_t longest) {
  std::vector<std::uint32_t> at{0};
  std::uint32_t length = 0;
  while (at.size() <= count) {
    bool const equal = at.size() / 32 % 2 == 1;
    if (!equal || at.size() % 32 == 0) length = static_cast<std::uint32_t>(next() % (longest + 1));
    bool const is_one = longest > 0 && (at.size() - 1) / 64 == 1;
    at.push_back(at.back() + (is_one ? 1 : length));
  }
  return at;
}

/// 70 segments of ten elements, one of 257, and 29 of ten.
inline std::vector<std::uint32_t> short_segments_before_a_long_one() {
  std::vector<std::uint32_t> at;
  for (std::uint32_t i = 0; i <= 100; ++i) at.push_back(10 * i + (i > 70 ? 247 : 0));
  return at;
}

/// Whether the kernels of segments exist for a target: they need vectors of 32 bytes.
inline bool has_segment_kernels(std::string const& target) {
  return target.starts_with("AVX");
}

}  // namespace upsweep::test
