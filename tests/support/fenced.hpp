/// An output buffer between two fences: it detects writes outside it, and elements that were never
/// written.
#pragma once

#include <support/bits.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <valarray>

namespace upsweep::test {

/// A value that no computation of these tests produces.
template <class T>
T sentinel() {
  if constexpr (requires { T::sentinel(); }) {
    return T::sentinel();
  } else if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "<never written>";
  } else if constexpr (requires(T const& x) {
                         x.has_value();
                       }) {  // maybe<>: any byte pattern would not be one
    return T(sentinel<std::remove_cvref_t<decltype(std::declval<T const&>().value())>>());
  } else {
    static_assert(std::is_trivially_copyable_v<T>);
    std::array<unsigned char, sizeof(T)> bytes;
    bytes.fill(0xa5);
    return std::bit_cast<T>(bytes);
  }
}

template <class T>
class fenced {
 public:
  explicit fenced(std::size_t n) : n_(n), memory_(sentinel<T>(), n + 2 * fence) {}

  [[nodiscard]] std::span<T> inside() { return {&memory_[fence], n_}; }
  [[nodiscard]] T const& operator[](std::size_t i) const { return memory_[fence + i]; }

  [[nodiscard]] std::size_t size() const { return n_; }

  /// True when nothing outside [0, n) was touched.
  [[nodiscard]] bool intact() const {
    T const untouched = sentinel<T>();
    for (std::size_t i = 0; i < fence; ++i)
      if (!same_bits(memory_[i], untouched) || !same_bits(memory_[fence + n_ + i], untouched))
        return false;
    return true;
  }
  /// True when the buffer itself was not touched either.
  [[nodiscard]] bool unwritten() const {
    T const untouched = sentinel<T>();
    for (T const& x : memory_)
      if (!same_bits(x, untouched)) return false;
    return true;
  }

 private:
  static constexpr std::size_t fence = 67;  // more than a vector of the widest kind, and odd:
                                            // alignment differs from the vector's own
  std::size_t n_;
  std::valarray<T> memory_;  // a std::vector of bool would not be an array of bool
};

}  // namespace upsweep::test
