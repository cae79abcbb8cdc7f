/// Element types and operators of the tests: associative operators that are not commutative, one
/// that shows every grouping, unusual structs.
#pragma once

#include <support/bits.hpp>
#include <support/random.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// x -> slope * x + offset. In uint64 composition is exactly associative, in float and double only
/// nearly.
template <class T>
struct affine_map {
  T slope = 1;
  T offset = 0;

  static affine_map random(random_bits& next) {
    if constexpr (std::is_integral_v<T>) {
      T const odd = next() | 1u;  // invertible, so that no prefix is forgotten
      return {odd, next()};
    } else {
      T const slope = random_element<T>(next);
      double const near_one = 0.75 + 0.25 * (small(next) + 1.0);
      return {
          static_cast<T>(std::bit_cast<std::uint64_t>(static_cast<double>(slope)) >> 63 ? -near_one
                                                                                        : near_one),
          random_element<T>(next)};
    }
  }
  bool same_bits(affine_map const& b) const {
    return test::same_bits(slope, b.slope) && test::same_bits(offset, b.offset);
  }
  friend bool operator==(affine_map const&, affine_map const&) = default;
};

/// The earlier map first.
template <bool Exact>
struct compose_maps {
  static constexpr bool exact = Exact;
  template <class T>
  constexpr affine_map<T> operator()(affine_map<T> const& earlier,
                                     affine_map<T> const& later) const {
    T const scaled = later.slope * earlier.offset;
    return {later.slope * earlier.slope, scaled + later.offset};
  }
  template <class A>
  constexpr A identity() const {
    return A{};
  }
};

/// An element of 12 bytes, for which there is no vector access.
struct three_words {
  std::uint32_t a, b, c;
  friend bool operator==(three_words const&, three_words const&) = default;
};

/// 2x2 matrices over the integers modulo 2^32.
struct matrix {
  std::array<std::uint32_t, 4> m{1, 0, 0, 1};

  static matrix random(random_bits& next) {
    std::uint64_t const u = next(), v = next();
    return {{static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(u >> 32),
             static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(v >> 32)}};
  }
  friend bool operator==(matrix const&, matrix const&) = default;
};

struct matrix_product {
  static constexpr bool exact = true;
  constexpr matrix operator()(matrix const& a, matrix const& b) const {
    return {{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
             a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}};
  }
  constexpr matrix identity() const { return {}; }
};

/// Strings in sequence: not trivially copyable, and every element is visible in every result.
struct concatenate {
  static constexpr bool exact = true;
  std::string operator()(std::string const& earlier, std::string const& later) const {
    return earlier + later;
  }
  std::string identity() const { return {}; }
};

/// A number that names the expression tree it was computed by: two different groupings or orders
/// give different names. It claims nothing about associativity, so mode::reproducible must give
/// exactly the tree's name.
struct tree_name {
  std::uint64_t name = 0;

  static tree_name random(random_bits& next) { return {next()}; }
  friend bool operator==(tree_name const&, tree_name const&) = default;
};

struct name_tree {
  constexpr tree_name operator()(tree_name const& earlier, tree_name const& later) const {
    std::uint64_t const x = (earlier.name ^ std::rotl(later.name, 23)) * 0x9e3779b97f4a7c15u +
                            later.name * 0xd1b54a32d192ed03u;
    return {x ^ x >> 29};
  }
  constexpr tree_name identity() const {
    return {0x1de0717e1de0717e};
  }  // must enter no other value, or the names change
};

/// A struct of `Bytes` bytes, combined byte by byte in a way that shows every grouping.
template <std::size_t Bytes>
struct blob {
  std::array<std::uint8_t, Bytes> byte{};

  static blob random(random_bits& next) {
    blob b;
    for (auto& x : b.byte) x = static_cast<std::uint8_t>(next() >> 40);
    return b;
  }
  friend bool operator==(blob const&, blob const&) = default;
};

struct mix_blobs {
  template <std::size_t Bytes>
  constexpr blob<Bytes> operator()(blob<Bytes> const& earlier, blob<Bytes> const& later) const {
    blob<Bytes> result;
    for (std::size_t i = 0; i < Bytes; ++i)
      result.byte[i] = static_cast<std::uint8_t>(
          (earlier.byte[i] ^ later.byte[(i + 1) % Bytes] * 29u) * 5u + later.byte[i] + 1u);
    return result;
  }
  template <class A>
  constexpr A identity() const {
    return A{};
  }
};

/// The same of 64-bit words, which nvcc compiles in less than minutes.
template <std::size_t Words>
struct words {
  std::array<std::uint64_t, Words> word{};

  static words random(random_bits& next) {
    words w;
    for (auto& x : w.word) x = next();
    return w;
  }
  friend bool operator==(words const&, words const&) = default;
};

struct mix_words {
  template <std::size_t Words>
  constexpr words<Words> operator()(words<Words> const& earlier, words<Words> const& later) const {
    words<Words> result;
    for (std::size_t i = 0; i < Words; ++i)
      result.word[i] =
          (earlier.word[i] ^ std::rotl(later.word[(i + 1) % Words], 29)) * 5 + later.word[i];
    return result;
  }
  template <class A>
  constexpr A identity() const {
    return A{};
  }
};

/// Functions and operators such as users write, but with names, so that kernels can be instantiated
/// for them.
struct squared {
  constexpr double operator()(float x) const { return static_cast<double>(x) * x; }
};
struct halved {
  constexpr double operator()(double x) const { return x / 2; }
};
struct larger_of_two {
  constexpr int operator()(int a, int b) const { return a > b ? a : b; }
};
struct mixed_up {
  constexpr unsigned long operator()(unsigned long a, unsigned long b) const {
    return a * 31 + b;
  }  // wraps, as it may
};

/// No default constructor, no conversion from anything, and it owns memory.
class length {
 public:
  explicit length(double meters) : meters_(1, meters) {}
  static length random(random_bits& next) { return length(scattered_double(next)); }
  static length sentinel() { return length(-0x1.5a5a5p300); }
  [[nodiscard]] double meters() const { return meters_.front(); }
  bool same_bits(length const& b) const { return test::same_bits(meters(), b.meters()); }

 private:
  std::vector<double> meters_;
};

struct join_lengths {
  length operator()(length const& earlier, length const& later) const {
    return length(earlier.meters() + later.meters());
  }
};

}  // namespace upsweep::test
