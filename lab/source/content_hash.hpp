/// A hash of what a compilation depends on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep::lab::source {

/// FNV-1a of 64 bits, twice, from different beginnings: for names of files, not against attackers.
class content_hash {
 public:
  /// Adds a text and its end, so that "a", "bc" differs from "ab", "c".
  void add(std::string_view text) {
    for (char const c : text) step(static_cast<unsigned char>(c));
    step(256);
  }
  /// 32 hexadecimal digits.
  [[nodiscard]] std::string text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string all;
    for (auto const half : halves_)
      for (unsigned shift = 64; shift > 0; shift -= 4) all += digits[half >> (shift - 4) & 15];
    return all;
  }

 private:
  void step(std::uint64_t byte) {
    for (auto& half : halves_) half = (half ^ byte) * 0x100000001b3u;
    halves_[1] ^= halves_[1] >> 29;
  }
  std::array<std::uint64_t, 2> halves_{0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
};

}  // namespace upsweep::lab::source
