/// Masks of a text: one bit a byte, 64 bytes a word, found by loops that compilers vectorize; and
/// the error for a text that breaks its format.
#pragma once

#include <upsweep/upsweep.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace upsweep {

namespace apps {

/// The error of a text that breaks its format. `position()` is the offset of the first such byte.
class text_error : public error {
 public:
  text_error(char const* sentence, std::size_t position) noexcept
      : error(sentence), position_(position) {}
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

}  // namespace apps

namespace detail {

/// Bytes in the blocks that threads share: a multiple of 64 that stays in the L1 cache.
inline constexpr std::size_t text_block = std::size_t{1} << 14;

/// Bit j: whether test(text[j]) for j in [0, 64). Compilers vectorize tests that are comparisons.
template <class Test>
[[nodiscard]] std::uint64_t mask_of(char const* text, Test const& test) {
  std::uint8_t hits[64];
  for (std::size_t j = 0; j < 64; ++j) hits[j] = static_cast<std::uint8_t>(test(text[j]));
  std::uint64_t mask = 0;
  for (std::size_t j = 0; j < 8; ++j) {  // a product gathers the lowest bits of eight bytes
    std::uint64_t eight;
    std::memcpy(&eight, hits + 8 * j, 8);
    if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
    mask |= eight * 0x0102040810204080u >> 56 << 8 * j;
  }
  return mask;
}

/// Bit j: the parity of bits 0 to j, the scan of a word by exclusive or.
[[nodiscard]] inline std::uint64_t parities(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// Word w of a text: its 64 bytes from 64·w on, the last ones filled up with zeros.
struct text_words {
  std::string_view text;
  [[nodiscard]] std::size_t count() const { return (text.size() + 63) / 64; }
  /// Calls f(64 bytes).
  template <class F>
  void at(std::size_t w, F const& f) const {
    if (64 * (w + 1) <= text.size()) return f(text.data() + 64 * w);
    char last[64] = {};
    std::memcpy(last, text.data() + 64 * w, text.size() - 64 * w);
    f(last);
  }
  [[nodiscard]] std::size_t blocks() const { return (text.size() + text_block - 1) / text_block; }
  /// Calls f(b, begin, end) on any thread for each block b, which has the words from begin to end.
  template <class E, class F>
  void for_each_block(E const& on, F const& f) const {
    constexpr std::size_t size = text_block / 64;
    for_each_part(on, blocks(), text_block,
                  [&](std::size_t b) { f(b, b * size, at_most(count(), (b + 1) * size)); });
  }
};

/// Calls f(64·w + j) for each bit j of a word, in order.
template <class F>
void for_each_bit(std::uint64_t bits, std::size_t w, F const& f) {
  for (; bits != 0; bits &= bits - 1) f(64 * w + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// How many bits are set, for processors whose instruction for that compilers may not use.
[[nodiscard]] inline std::size_t bits_in(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  return ((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56;
}

/// Stores the positions of the bits of word w from `out` on, up to `limit` at most, and returns
/// where the next go. Four are stored without asking how many there are, where there is room.
inline std::size_t* store_bits(std::uint64_t bits, std::size_t w, std::size_t* out,
                               std::size_t const* limit) {
  std::size_t* const end = out + bits_in(bits);
  if (limit - out < 64) {
    for_each_bit(bits, w, [&](std::size_t i) { *out++ = i; });
    return end;
  }
  for (; out < end; out += 4)
    for (std::size_t j = 0; j < 4; ++j) {
      constexpr std::uint64_t last = std::uint64_t{1} << 63;  // so that there is a bit to find
      out[j] = 64 * w + static_cast<std::size_t>(std::countr_zero(bits | last));
      bits &= bits - 1;
    }
  return end;
}

}  // namespace detail

}  // namespace upsweep
