/// Summed-area tables on a GPU beside those of the CPU, for the tests of them.
#pragma once

#include "on_gpu.cuh"

#include <upsweep/apps/summed_area.hpp>
#include <upsweep/cuda.cuh>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// A matrix in memory that begins `offset` elements after an aligned address.
struct table_case {
  std::size_t rows, columns;
  std::size_t gap = 0;   ///< elements between rows
  std::size_t step = 1;  ///< from one column to the next
  std::size_t offset = 0;
  bool in_place = false;

  [[nodiscard]] std::size_t pitch() const { return columns * step + gap; }
  [[nodiscard]] std::size_t room() const { return rows * pitch(); }
  template <class T>
  [[nodiscard]] strided_view<T> view(T* first) const {
    return {first,
            {rows, columns},
            {static_cast<std::ptrdiff_t>(pitch()), static_cast<std::ptrdiff_t>(step)}};
  }
};

template <class T, class R>
void expect_table(table_case const& c, gpu const& on = {}) {
  SCOPED_TRACE(testing::Message() << c.rows << " rows of " << c.columns << ", gap " << c.gap
                                  << ", step " << c.step << ", offset " << c.offset
                                  << (c.in_place ? ", in place" : "") << "; " << seed_note());
  auto const x = elements<T>(c.room());
  auto const poison = random_elements<R>(c.room(), 99);
  std::vector<R> want = poison;
  if constexpr (std::is_same_v<T, R>)
    if (c.in_place) want = x;
  apps::summed_area_table(c.view(x.data()), c.view(want.data()), cpu{});
  on_gpu<T> const in(x, c.offset);
  if constexpr (std::is_same_v<T, R>)
    if (c.in_place) {
      apps::summed_area_table(c.view(in.data()), c.view(in.data()), on);
      return expect_same(in.values(), want);
    }
  on_gpu<R> const out(poison, c.offset);
  apps::summed_area_table(c.view(static_cast<T const*>(in.data())), c.view(out.data()), on);
  expect_same(out.values(), want);
}

/// The same in bands, however few there are: as launches choose them, they begin at 25 million
/// elements. Rows begin at multiples of 16 bytes.
template <class T, class R>
void expect_bands(table_case const& c) {
  SCOPED_TRACE(testing::Message() << c.rows << " rows of " << c.columns << ", gap " << c.gap
                                  << (c.in_place ? ", in place" : "") << "; " << seed_note());
  using A = device::table_accumulator<R>;
  auto const x = elements<T>(c.room());
  auto want = random_elements<R>(c.room(), 99);
  if constexpr (std::is_same_v<T, R>)
    if (c.in_place) want = x;
  on_gpu<T> const in(x);
  on_gpu<R> const out(want);
  R* to = out.data();
  if constexpr (std::is_same_v<T, R>)
    if (c.in_place) to = in.data();
  apps::summed_area_table(c.view(x.data()), c.view(want.data()), cpu{});
  EXPECT_TRUE((device::take_bands<device::band_shape_of<A>, A>(
      gpu{}, cuda_device::current(),
      detail::matrix_of<T const>(c.view(static_cast<T const*>(in.data()))),
      detail::matrix_of<R>(c.view(to)))));
  if constexpr (std::is_same_v<T, R>)
    if (c.in_place) return expect_same(in.values(), want);
  expect_same(out.values(), want);
}

/// Of tiles of 32, 64 and 128 rows and 128 columns, and of 8 and 64 tiles.
inline std::vector<std::size_t> table_edges() {
  std::vector<std::size_t> all{1, 2, 3, 100};
  for (std::size_t const size : {32u, 64u, 128u, 256u, 1024u, 8192u})
    for (std::size_t const extent : {size - 1, size, size + 1}) all.push_back(extent);
  return all;
}

}  // namespace upsweep::test
