/// The search for bytes by vector instructions, once for each SIMD target: comparisons give a bit
/// for each byte, and the positions of 64 bits are stored eight at a time without asking how many
/// there are.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <upsweep/host/simd/byte_search.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace upsweep::host::simd::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t block = 4096;  // whose bits are stored before their positions

/// Bit i % 8 of bits[i / 8]: whether text[i] is one of the three bytes; n <= block.
void store_bits(char const* text, std::size_t n, char a, char b, char c, std::uint8_t* bits) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  hn::ScalableTag<std::uint8_t> const d;
  auto const to_byte = [](char x) { return static_cast<std::uint8_t>(x); };
  auto const va = hn::Set(d, to_byte(a)), vb = hn::Set(d, to_byte(b)), vc = hn::Set(d, to_byte(c));
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    auto const x = hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(text) + i);
    hn::StoreMaskBits(d, hn::Or(hn::Or(hn::Eq(x, va), hn::Eq(x, vb)), hn::Eq(x, vc)), bits + i / 8);
  }
#endif
  for (; i < n; i += 8) {
    unsigned eight = 0;
    for (std::size_t j = 0; j < 8 && i + j < n; ++j)
      eight |= (text[i + j] == a || text[i + j] == b || text[i + j] == c ? 1u : 0u) << j;
    bits[i / 8] = static_cast<std::uint8_t>(eight);
  }
}

/// The bits of eight bytes, those of the first one lowest.
std::uint64_t word_of(std::uint8_t const* bits) {
  std::uint64_t word = 0;
  std::memcpy(&word, bits, 8);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

/// Stores the positions of the set bits, counted from `first`; returns where the next go.
std::uint32_t* store_positions(std::uint64_t bits, std::size_t first, std::uint32_t* to) {
  auto* const end = to + std::popcount(bits);
  for (; to < end; to += positions_slack)
    for (std::size_t j = 0; j < positions_slack; ++j) {
      constexpr std::uint64_t last = std::uint64_t{1} << 63;  // so that there is a bit to find
      to[j] = static_cast<std::uint32_t>(first) +
              static_cast<std::uint32_t>(std::countr_zero(bits | last));
      bits &= bits - 1;
    }
  return end;
}

std::size_t find_bytes_here(char const* text, std::size_t n, char a, char b, char c,
                            std::uint32_t* to) {
  auto* next = to;
  std::uint8_t bits[block / 8];
  for (std::size_t first = 0; first < n; first += block) {
    std::size_t const size = detail::at_most(block, n - first);
    if (size < block) std::memset(bits, 0, sizeof bits);
    store_bits(text + first, size, a, b, c, bits);
    for (std::size_t i = 0; i < size; i += 64) {
      next = store_positions(word_of(bits + i / 8), first + i, next);
    }
  }
  return static_cast<std::size_t>(next - to);
}

void mask_bytes_here(char const* text, std::size_t words, char a, char b, char c,
                     std::uint64_t* to) {
  char const sought[] = {a, b, c};
  for (std::size_t w = 0; w < words; ++w) {
    std::uint8_t bits[3][8];
#if HWY_TARGET != HWY_SCALAR
    hn::CappedTag<std::uint8_t, 64> const d;
    for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
      auto const x = hn::LoadU(d, reinterpret_cast<std::uint8_t const*>(text) + 64 * w + i);
      for (std::size_t k = 0; k < 3; ++k)
        hn::StoreMaskBits(d, hn::Eq(x, hn::Set(d, static_cast<std::uint8_t>(sought[k]))),
                          bits[k] + i / 8);
    }
#else
    for (std::size_t k = 0; k < 3; ++k)
      store_bits(text + 64 * w, 64, sought[k], sought[k], sought[k], bits[k]);
#endif
    for (std::size_t k = 0; k < 3; ++k) to[3 * w + k] = word_of(bits[k]);
  }
}

}  // namespace
}  // namespace upsweep::host::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::host::simd {
HWY_EXPORT(find_bytes_here);
HWY_EXPORT(mask_bytes_here);

std::size_t find_bytes(char const* text, std::size_t n, char a, char b, char c, std::uint32_t* to) {
  return HWY_DYNAMIC_DISPATCH(find_bytes_here)(text, n, a, b, c, to);
}
void mask_bytes(char const* text, std::size_t words, char a, char b, char c, std::uint64_t* to) {
  HWY_DYNAMIC_DISPATCH(mask_bytes_here)(text, words, a, b, c, to);
}
}  // namespace upsweep::host::simd
#endif
