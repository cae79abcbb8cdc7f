/// Transposition of blocks of 64 rows.
#include <upsweep/host/rows.hpp>

#include <cstdint>
#include <cstring>

namespace upsweep::host {
namespace {

template <class T>
using vector [[gnu::vector_size(16)]] = T;
using four = vector<std::uint32_t>;
using two = vector<std::uint64_t>;

template <class V>
V load(std::byte const* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class V>
void store(V v, std::byte* to) {
  std::memcpy(to, &v, sizeof v);
}

/// Transposes a square of 16 / sizeof(T) rows: row i is at from(i), and goes to to(i).
template <class From, class To>
void transpose(four, From const& from, To const& to) {
  auto const a = load<four>(from(0)), b = load<four>(from(1)), c = load<four>(from(2)),
             d = load<four>(from(3));
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
void transpose(two, From const& from, To const& to) {
  auto const a = load<two>(from(0)), b = load<two>(from(1));
  store(__builtin_shufflevector(a, b, 0, 2), to(0));
  store(__builtin_shufflevector(a, b, 1, 3), to(1));
}

/// Calls f(V, size, row, column) for each square of `size` rows and columns.
template <class F>
void for_each_square(std::size_t bytes, int columns, F const& f) {
  auto const all = [&](auto v, int size) {
    for (int row = 0; row < block_rows; row += size)
      for (int column = 0; column < columns; column += size) f(v, row, column);
  };
  if (bytes == 4)
    all(four{}, 4);
  else
    all(two{}, 2);
}

}  // namespace

void to_columns(void const* rows, void* columns, std::size_t bytes, int count) {
  auto const* const from = static_cast<std::byte const*>(rows);
  auto* const to = static_cast<std::byte*>(columns);
  std::size_t const width = bytes * static_cast<std::size_t>(count), height = bytes * block_rows;
  for_each_square(bytes, count, [=](auto v, int row, int column) {
    auto const r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
    transpose(
        v, [=](std::size_t i) { return from + (r + i) * width + c * bytes; },
        [=](std::size_t i) { return to + (c + i) * height + r * bytes; });
  });
}

void to_rows(void const* first, void const* others, void* rows, std::size_t bytes, int count) {
  auto* const to = static_cast<std::byte*>(rows);
  std::size_t const width = bytes * static_cast<std::size_t>(count), height = bytes * block_rows;
  auto const column_at = [=](std::size_t c) {
    return c == 0 ? static_cast<std::byte const*>(first)
                  : static_cast<std::byte const*>(others) + (c - 1) * height;
  };
  for_each_square(bytes, count, [=](auto v, int row, int column) {
    auto const r = static_cast<std::size_t>(row), c = static_cast<std::size_t>(column);
    transpose(
        v, [=](std::size_t i) { return column_at(c + i) + r * bytes; },
        [=](std::size_t i) { return to + (r + i) * width + c * bytes; });
  });
}

}  // namespace upsweep::host
