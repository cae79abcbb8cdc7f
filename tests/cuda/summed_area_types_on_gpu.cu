/// Summed-area tables of integers and doubles on a GPU, and of more than 2^32 elements: the results
/// of the CPU.
#include "tables.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

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
