/// The text of the results, and its SHA-256, of the golden set
/// (docs/spec/golden.md).
#pragma once

#include "set_inputs.hpp"

#include <golden/sha256.h>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/parts.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep::golden_set {

/// SHA-256 of bytes that arrive piece by piece.
class sha256 {
 public:
  sha256() { golden_sha256_begin(&hash_); }
  void add(std::span<std::uint8_t const> bytes) {
    golden_sha256_add(&hash_, bytes.data(), bytes.size());
  }
  void add(std::string_view text) { golden_sha256_add(&hash_, text.data(), text.size()); }
  /// 64 digits; ends the text.
  [[nodiscard]] std::string hex() {
    char digits[65];
    golden_sha256_end(&hash_, digits);
    return digits;
  }

 private:
  golden_sha256 hash_;
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
