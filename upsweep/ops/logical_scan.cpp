/// Scans of Boolean values by the logical operators, eight bytes at a time.
#include <upsweep/ops/logical.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

namespace upsweep::detail {
namespace {

using word = std::uint64_t;
constexpr word ones = 0x0101010101010101u;

/// Eight Boolean values as in memory, the first in the lowest byte.
word load(bool const* x) {
  word w;
  std::memcpy(&w, x, sizeof w);
  if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
  return w;
}
void store(word w, bool* out) {
  if constexpr (std::endian::native == std::endian::big) w = __builtin_bswap64(w);
  std::memcpy(out, &w, sizeof w);
}

template <bool is_parity>
word combine(word a, word b) {
  return is_parity ? a ^ b : a | b;
}

/// A scan by `or` or exclusive or of x ^ flipped; all results are flipped too.
template <bool is_parity>
void scan(bool& a, bool const* x, bool* out, std::size_t n, bool inclusive, bool flipped) {
  word const flip = flipped ? ones : 0;
  word before = a != flipped;
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    word w = load(x + i) ^ flip;
    w = combine<is_parity>(w, w << 8);
    w = combine<is_parity>(w, w << 16);
    w = combine<is_parity>(w, w << 32);
    word const after = combine<is_parity>(w, before * ones);
    store((inclusive ? after : after << 8 | before) ^ flip, out + i);
    before = after >> 56;
  }
  for (; i < n; ++i) {
    word const after = combine<is_parity>(before, x[i] != flipped);
    out[i] = ((inclusive ? after : before) != 0) != flipped;
    before = after;
  }
  a = (before != 0) != flipped;
}

}  // namespace

std::size_t scan_logical(logical what, bool& a, bool const* x, bool* out, std::size_t n,
                         bool inclusive) {
  if (what == logical::parity)
    scan<true>(a, x, out, n, inclusive, false);
  else
    scan<false>(a, x, out, n, inclusive, what == logical::all);  // all: no 0
  return n;
}

}  // namespace upsweep::detail
