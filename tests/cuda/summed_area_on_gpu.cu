/// Summed-area tables on a GPU: the bits of the CPU for all extents around borders of tiles, with
/// gaps and strides, in place, in graphs, and of more than 2^32 elements.
#include "tables.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

TEST(cuda_tables, have_the_bits_of_the_processor_at_every_border_of_tiles) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const rows : table_edges())
    for (std::size_t const columns : table_edges())
      if (rows * columns <= 5'000'000 && at_most_given({rows * columns}).size() == 1)
        expect_table<float, float>({rows, columns});
}
TEST(cuda_tables, of_doubles_have_them) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const rows : table_edges())
    for (std::size_t const columns : table_edges())
      if (rows * columns <= 2'500'000 && at_most_given({rows * columns}).size() == 1)
        expect_table<float, double>({rows, columns});
}
TEST(cuda_tables, have_them_in_lines_of_many_tiles) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({100'000, 1'000'003, 3'000'000}))
    for (std::size_t const other : {1u, 2u, 3u}) {
      expect_table<float, double>({n, other});
      expect_table<float, double>({other, n});
    }
}
TEST(cuda_tables, have_them_where_there_are_more_tiles_than_blocks) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({16'000'000, 50'000'000})) {
    std::size_t const side = n == 16'000'000 ? 4000 : 7071;
    expect_table<float, float>({side, side});
    expect_table<float, double>({side, side, 1});
  }
}
TEST(cuda_tables, have_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(400); ++k) {
    std::size_t const rows = 1 + next() % (k % 4 == 0   ? 20'000
                                           : k % 4 == 1 ? 100
                                                        : 700),
                      columns = 1 + next() % (k % 4 == 0   ? 100
                                              : k % 4 == 1 ? 20'000
                                                           : 700);
    table_case const c{.rows = rows,
                       .columns = columns,
                       .gap = next() % 3 == 0 ? next() % 9 : 0,
                       .step = next() % 5 == 0 ? 1 + next() % 3 : 1,
                       .offset = next() % 4,
                       .in_place = next() % 2 == 0};
    if (at_most_given({c.room()}).empty()) continue;
    expect_table<float, float>(c);
    if (k % 2 == 0) expect_table<float, double>(c);
  }
}
TEST(cuda_tables, of_nothing_are_not_touched) {
  UPSWEEP_NEEDS_A_GPU();
  expect_table<float, float>({0, 5});
  expect_table<float, float>({5, 0, 3});
}

/// Rows and columns exchanged, an axis backwards, and an element that is read many times.
TEST(cuda_tables, take_any_strides) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const rows = 300, columns = 200;
  auto const x = elements<float>(rows * columns);
  std::ptrdiff_t const pitch = static_cast<std::ptrdiff_t>(rows);
  auto const expect = [&](std::ptrdiff_t first, std::ptrdiff_t row_stride, std::ptrdiff_t stride) {
    auto const view = [&]<class T>(T* memory) {
      return strided_view<T>(memory, {rows, columns}, {row_stride, stride});
    };
    std::vector<double> want(x.size());
    strided_view<double> const table(want.data(), {rows, columns});
    apps::summed_area_table(view(x.data() + first), table, cpu{});
    on_gpu<float> const in(x);
    on_gpu<double> const out(x.size());
    apps::summed_area_table(view(static_cast<float const*>(in.data()) + first),
                            strided_view<double>(out.data(), {rows, columns}), gpu{});
    expect_same(out.values(), want);
  };
  expect(0, 1, pitch);
  expect(static_cast<std::ptrdiff_t>(x.size()) - 1, -static_cast<std::ptrdiff_t>(columns), -1);
  expect(0, 0, 1);
  expect(0, 0, 0);
}
TEST(cuda_tables, of_one_and_of_three_dimensions_have_the_bits_of_the_processor) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::vector<std::size_t> const& extents :
       {std::vector<std::size_t>{5000}, {3, 4, 300}, {20, 30, 7}}) {
    std::size_t n = 1;
    for (std::size_t const e : extents) n *= e;
    auto const x = elements<float>(n);
    std::vector<double> want(n);
    apps::summed_area_table(strided_view<float const>(x.data(), extents),
                            strided_view<double>(want.data(), extents), cpu{});
    on_gpu<float> const in(x);
    on_gpu<double> const out(n);
    apps::summed_area_table(strided_view<float const>(in.data(), extents),
                            strided_view<double>(out.data(), extents), gpu{});
    expect_same(out.values(), want);
  }
}
TEST(cuda_tables, are_the_same_when_a_graph_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  table_case const c{1000, 1500};
  auto const x = elements<float>(c.room());
  std::vector<float> want(x.size());
  apps::summed_area_table(c.view(x.data()), c.view(want.data()), cpu{});
  own_stream const stream;
  on_gpu<float> const in(x), out(want.size());
  gpu const on{.stream = stream.get()};
  recorded_calls const graph(
      stream.get(), [&] { apps::summed_area_table(c.view(in.data()), c.view(out.data()), on); });
  graph.launch(stream.get(), 50);
  stream.wait();
  expect_same(out.values(), want);
}
/// The look-backs depend on timing, so many runs are compared.
TEST(cuda_tables, are_the_same_many_times) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const side : {1000u, 4096u}) {
    if (at_most_given({side * side}).empty()) continue;
    table_case const c{side, side};
    auto const x = elements<float>(c.room());
    std::vector<float> want(x.size());
    apps::summed_area_table(c.view(x.data()), c.view(want.data()), cpu{});
    on_gpu<float> const in(x), out(want.size());
    for (int k = 0; k < 200; ++k) {
      apps::summed_area_table(c.view(in.data()), c.view(out.data()), gpu{});
      if (k % 20 == 0) expect_same(out.values(), want);
    }
  }
}
TEST(cuda_tables, refuse_views_that_do_not_fit) {
  UPSWEEP_NEEDS_A_GPU();
  on_gpu<float> const x(elements<float>(100));
  strided_view<float> const ten(x.data(), {10, 10}), two(x.data(), {2, 10}),
      shifted(x.data() + 1, {9, 11}), nine(x.data(), {9, 11});
  EXPECT_THROW(apps::summed_area_table(ten, two, gpu{}), precondition_error);
  EXPECT_THROW(apps::summed_area_table(nine, shifted, gpu{}), precondition_error);
}
TEST(cuda_tables, of_every_type_have_them) {
  UPSWEEP_NEEDS_A_GPU();
  for (table_case const& c :
       {table_case{1, 1}, {300, 700}, {129, 1280, 8}, {1030, 517}, {2000, 2048}}) {
    if (at_most_given({c.room()}).empty()) continue;
    expect_table<std::uint8_t, std::uint64_t>(c);
    expect_table<std::uint8_t, std::uint32_t>(c);
    expect_table<std::int8_t, std::int64_t>(c);
    expect_table<std::int32_t, std::int64_t>(c);
    expect_table<std::int16_t, std::int16_t>(c);
    expect_table<float, float>(c);
    expect_table<float, double>(c);
    expect_table<double, double>(c);
  }
}
TEST(cuda_tables, of_bytes_are_right_in_long_lines_and_in_many_tiles) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({100'000, 3'000'000}))
    for (std::size_t const other : {1u, 3u}) {
      expect_table<std::uint8_t, std::uint64_t>({n, other});
      expect_table<std::uint8_t, std::uint64_t>({other, n});
    }
  for (std::size_t const side : {4000u, 7071u})
    if (!at_most_given({side * side}).empty())
      expect_table<std::uint8_t, std::uint64_t>({side, side});
}
/// Ones modulo 256: entry (i, j) is (i + 1) (j + 1).
TEST(cuda_tables, of_more_than_2_to_32_elements_are_right) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({(std::size_t{1} << 32) + (std::size_t{1} << 20)})) {
    std::size_t const rows = 65'551, columns = n / rows;
    std::vector<std::uint8_t> x(rows * columns, 1);
    on_gpu<std::uint8_t> const matrix(x);
    strided_view<std::uint8_t> const view(matrix.data(), {rows, columns});
    apps::summed_area_table(view, view, gpu{});
    auto const got = matrix.values();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j)
        wrong += got[i * columns + j] != static_cast<std::uint8_t>((i + 1) * (j + 1)) ? 1 : 0;
    EXPECT_EQ(wrong, 0u);
  }
}

}  // namespace
}  // namespace upsweep::test
