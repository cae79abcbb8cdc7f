/// Transposition of blocks of 64 rows.
#include <upsweep/host/rows.hpp>

#include <cstdint>
#include <cstring>

namespace upsweep::host {
namespace {

using four [[gnu::vector_size(16)]] = std::uint32_t;
using two [[gnu::vector_size(16)]] = std::uint64_t;
using wide_four [[gnu::vector_size(32)]] = std::uint64_t;
using eight [[gnu::vector_size(32)]] = std::uint32_t;

template <class V>
[[gnu::always_inline]] inline void load(V& v, std::byte const* from) {
  std::memcpy(&v, from, sizeof v);
}
template <class V>
[[gnu::always_inline]] inline void store(V const& v, std::byte* to) {
  std::memcpy(to, &v, sizeof v);
}

/// Transposes a square of as many rows as the vector has words: row i is at from(i), and goes to
/// to(i).
template <class From, class To>
[[gnu::always_inline]] inline void transpose(four, From const& from, To const& to) {
  four a, b, c, d;
  load(a, from(0)), load(b, from(1)), load(c, from(2)), load(d, from(3));
  auto const ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  auto const cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  auto const ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  auto const cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  store(__builtin_shufflevector(ab, cd, 0, 1, 4, 5), to(0));
  store(__builtin_shufflevector(ab, cd, 2, 3, 6, 7), to(1));
  store(__builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), to(2));
  store(__builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7), to(3));
}
template <class From, class To>
[[gnu::always_inline]] inline void transpose(two, From const& from, To const& to) {
  two a, b;
  load(a, from(0)), load(b, from(1));
  store(__builtin_shufflevector(a, b, 0, 2), to(0));
  store(__builtin_shufflevector(a, b, 1, 3), to(1));
}

template <class From, class To>
[[gnu::always_inline]] inline void transpose(wide_four, From const& from, To const& to) {
  wide_four a, b, c, d;
  load(a, from(0)), load(b, from(1)), load(c, from(2)), load(d, from(3));
  auto const ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  auto const cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  auto const ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  auto const cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store(__builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5), to(0));
  store(__builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5), to(1));
  store(__builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7), to(2));
  store(__builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7), to(3));
}

/// Calls f(V, row, column) for each square of as many rows and columns as V has words.
template <class V, class F>
[[gnu::always_inline]] inline void for_each_square(int columns, F const& f) {
  constexpr int size = sizeof(V) / sizeof(V{}[0]);
  for (int row = 0; row < block_rows; row += size)
    for (int column = 0; column < columns; column += size)
      f(V{}, static_cast<std::size_t>(row), static_cast<std::size_t>(column));
}

template <class V>
[[gnu::always_inline]] inline void columns_of(std::byte const* from, std::byte* to, int count) {
  constexpr std::size_t bytes = sizeof(V{}[0]), height = bytes * block_rows;
  std::size_t const width = bytes * static_cast<std::size_t>(count);
  for_each_square<V>(count, [=](V v, std::size_t r, std::size_t c) {
    transpose(
        v, [=](std::size_t i) { return from + (r + i) * width + c * bytes; },
        [=](std::size_t i) { return to + (c + i) * height + r * bytes; });
  });
}
template <class V>
[[gnu::always_inline]] inline void rows_of(std::byte const* first, std::size_t front,
                                           std::byte const* others, std::byte* to, int count) {
  constexpr std::size_t bytes = sizeof(V{}[0]), height = bytes * block_rows;
  std::size_t const width = bytes * static_cast<std::size_t>(count);
  auto const column_at = [=](std::size_t c) {
    return c < front ? first + c * height : others + (c - front) * height;
  };
  for_each_square<V>(count, [=](V v, std::size_t r, std::size_t c) {
    transpose(
        v, [=](std::size_t i) { return column_at(c + i) + r * bytes; },
        [=](std::size_t i) { return to + (r + i) * width + c * bytes; });
  });
}

/// Transposes two squares of four, one in each half of the four vectors that load(i, v) makes;
/// store(i, v) takes the results.
template <class Load, class Store>
[[gnu::always_inline]] inline void transpose_halves(Load const& load, Store const& store) {
  eight a, b, c, d;
  load(0, a), load(1, b), load(2, c), load(3, d);
  auto const ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  auto const cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  auto const ab_high = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  auto const cd_high = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  store(0, __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13));
  store(1, __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15));
  store(2, __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13));
  store(3, __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15));
}

/// columns_of and rows_of in registers of 32 bytes: four columns of eight rows at a time, if words
/// have 4 bytes.
UPSWEEP_FLATTEN_AVX2 void wide_columns_of(std::byte const* from, std::byte* to, std::size_t bytes,
                                          int count) {
  if (bytes == 8) return columns_of<wide_four>(from, to, count);
  std::size_t const columns = static_cast<std::size_t>(count), width = 4 * columns;
  for (std::size_t r = 0; r < block_rows; r += 8)
    for (std::size_t c = 0; c < columns; c += 4)
      transpose_halves(
          [=](std::size_t i, eight& v) {
            std::byte const* const row = from + (r + i) * width + c * 4;
            four low, high;
            load(low, row), load(high, row + 4 * width);
            v = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
          },
          [=](std::size_t i, eight const& v) { store(v, to + ((c + i) * block_rows + r) * 4); });
}
UPSWEEP_FLATTEN_AVX2 void wide_rows_of(std::byte const* first, std::size_t front,
                                       std::byte const* others, std::byte* to, std::size_t bytes,
                                       int count) {
  if (bytes == 8) return rows_of<wide_four>(first, front, others, to, count);
  constexpr std::size_t height = 4 * block_rows;
  std::size_t const columns = static_cast<std::size_t>(count), width = 4 * columns;
  for (std::size_t r = 0; r < block_rows; r += 8)
    for (std::size_t c = 0; c < columns; c += 4)
      transpose_halves(
          [=](std::size_t i, eight& v) {
            load(v, (c + i < front ? first + (c + i) * height : others + (c + i - front) * height) +
                        r * 4);
          },
          [=](std::size_t i, eight const& v) {
            std::byte* const row = to + (r + i) * width + c * 4;
            store(__builtin_shufflevector(v, v, 0, 1, 2, 3), row);
            store(__builtin_shufflevector(v, v, 4, 5, 6, 7), row + 4 * width);
          });
}

}  // namespace

void to_columns(void const* rows, void* columns, std::size_t bytes, int count) {
  auto const* const from = static_cast<std::byte const*>(rows);
  auto* const to = static_cast<std::byte*>(columns);
  if (widest_registers() != registers::any)
    wide_columns_of(from, to, bytes, count);
  else if (bytes == 4)
    columns_of<four>(from, to, count);
  else
    columns_of<two>(from, to, count);
}

void to_rows(void const* first, int front, void const* others, void* rows, std::size_t bytes,
             int count) {
  auto const* const before = static_cast<std::byte const*>(first);
  auto const* const after = static_cast<std::byte const*>(others);
  auto* const to = static_cast<std::byte*>(rows);
  auto const n = static_cast<std::size_t>(front);
  if (widest_registers() != registers::any)
    wide_rows_of(before, n, after, to, bytes, count);
  else if (bytes == 4)
    rows_of<four>(before, n, after, to, count);
  else
    rows_of<two>(before, n, after, to, count);
}

}  // namespace upsweep::host
