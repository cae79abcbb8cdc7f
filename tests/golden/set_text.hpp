/// SHA-256, and the text of the results of the golden set (docs/spec/golden.md).
#pragma once

#include "set_inputs.hpp"

#include <upsweep/ops/parts.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep::golden_set {

/// SHA-256 (FIPS 180-4) of bytes that arrive piece by piece.
class sha256 {
 public:
  void add(std::span<std::uint8_t const> bytes) {
    for (std::uint8_t const b : bytes) {
      block_[size_++ % 64] = b;
      if (size_ % 64 == 0) mix();
    }
  }
  void add(std::string_view text) {
    add({reinterpret_cast<std::uint8_t const*>(text.data()), text.size()});
  }
  /// 64 digits; ends the text.
  [[nodiscard]] std::string hex() {
    std::uint64_t const bits = 8 * size_;
    std::uint8_t end = 0x80;
    do {
      add({&end, 1});
      end = 0;
    } while (size_ % 64 != 56);
    for (int shift = 56; shift >= 0; shift -= 8) {
      auto const b = static_cast<std::uint8_t>(bits >> shift);
      add({&b, 1});
    }
    std::string digits;
    for (std::uint32_t const h : state_) {
      char text[9];
      std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(h));
      digits += text;
    }
    return digits;
  }

 private:
  void mix() {
    std::uint32_t w[64];
    for (std::size_t i = 0; i < 16; ++i)
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
    for (std::size_t i = 16; i < 64; ++i) {
      std::uint32_t const a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      std::uint32_t const t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                               ((e & f) ^ (~e & g)) + constants()[i] + w[i];
      std::uint32_t const t2 =
          (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    std::uint32_t const sums[] = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += sums[i];
  }
  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  static std::array<std::uint32_t, 64> const& constants() {
    static auto const all = [] {
      std::array<std::uint32_t, 64> k{};
      std::size_t found = 0;
      for (std::uint32_t p = 2; found < 64; ++p) {
        bool prime = true;
        for (std::uint32_t d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
        if (prime) k[found++] = cube_root_fraction(p);
      }
      return k;
    }();
    return all;
  }
  /// The largest r with r^3 <= p * 2^96, modulo 2^32.
  static std::uint32_t cube_root_fraction(std::uint32_t p) {
    std::uint64_t r = 0;
    for (int bit = 34; bit >= 0; --bit) {
      std::uint64_t const next = r | std::uint64_t{1} << bit;
      // next^3 <= p 2^96, as next^2 / 2^40 * next <= p 2^56 does not lose what matters: compared
      // in 128 bits, whose upper part decides.
      uint128 const square = uint128{next} * next;
      uint128 const high = (square >> 40) * next, low = (square & ((uint128{1} << 40) - 1)) * next;
      uint128 const cube = high + (low >> 40);
      if (cube < uint128{p} << 56 ||
          (cube == uint128{p} << 56 && (low & ((uint128{1} << 40) - 1)) == 0))
        r = next;
    }
    return static_cast<std::uint32_t>(r);
  }

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::uint8_t block_[64] = {};
  std::uint64_t size_ = 0;
};

/// The numbers of an array, as text: few as bits, more as a hash.
class listing {
 public:
  /// A result, number by number. All NaN have one pattern.
  template <class T>
  void add_result(T const& x) {
    ++rows_;
    add_parts(x);
  }
  /// An element that was only moved.
  template <class T>
  void add_moved(T const& x) {
    ++rows_;
    add_bits(bits_of(x), sizeof(T));
  }
  [[nodiscard]] std::string text() const {
    if (bits_.empty()) return "-";
    std::string all;
    if (bits_.size() <= 6) {
      std::size_t const parts = bits_.size() / rows_;
      for (std::size_t i = 0; i < bits_.size(); ++i) {
        char digits[17];
        std::snprintf(digits, sizeof digits, "%0*llx", 2 * sizes_[i],
                      static_cast<unsigned long long>(bits_[i]));
        all += (i == 0 ? "" : i % parts == 0 ? "," : ":") + std::string(digits);
      }
      return all;
    }
    sha256 hash;
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      std::uint8_t bytes[8];
      for (int b = 0; b < sizes_[i]; ++b) bytes[b] = static_cast<std::uint8_t>(bits_[i] >> 8 * b);
      hash.add({bytes, static_cast<std::size_t>(sizes_[i])});
    }
    return "#" + hash.hex().substr(0, 16);
  }

 private:
  void add_bits(std::uint64_t bits, std::size_t size) {
    bits_.push_back(bits);
    sizes_.push_back(static_cast<std::uint8_t>(size));
  }
  template <class T>
  void add_parts(T const& x) {
    if constexpr (std::is_same_v<T, bool>) {
      add_bits(x ? 1 : 0, 1);
    } else if constexpr (is_float<T>) {
      add_bits(x != x ? format<T>::nan : bits_of(x), sizeof(T));
    } else if constexpr (std::is_same_v<T, std::size_t>) {  // a position, of 64 bits in the set
      add_bits(x == no_index ? ~std::uint64_t{0} : x, 8);
    } else if constexpr (std::is_integral_v<T>) {
      add_bits(bits_of(x), sizeof(T));
    } else if constexpr (detail::parts::optional_like<T>) {
      add_bits(x.has_value() ? 1 : 0, 1);
      using V = std::remove_cvref_t<decltype(*x)>;
      add_parts(x.has_value() ? *x : V{});
    } else {
      detail::parts::with(x, [this](auto const& all) {
        std::apply([this](auto const&... part) { (add_parts(part), ...); }, all);
      });
    }
  }

  std::size_t rows_ = 0;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint8_t> sizes_;
};

template <class Range>
std::string listed(Range const& results) {
  listing all;
  for (auto const& x : results) all.add_result(x);
  return all.text();
}
template <class Range>
std::string moved(Range const& elements) {
  listing all;
  for (auto const& x : elements) all.add_moved(x);
  return all.text();
}

}  // namespace upsweep::golden_set
