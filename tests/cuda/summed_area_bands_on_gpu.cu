/// Summed-area tables in bands on a GPU: the bits of the CPU for all extents around borders
/// of tiles, with gaps, in place, in graphs, and where calls choose bands.
#include "tables.cuh"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::test {
namespace {

/// Rows of `columns` elements, which begin at multiples of 16 bytes for elements of a byte too.
table_case aligned(std::size_t rows, std::size_t columns) {
  return {.rows = rows, .columns = columns, .gap = (16 - columns % 16) % 16};
}

TEST(cuda_bands, have_the_bits_of_the_processor_at_every_border_of_tiles) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const rows : {1u, 7u, 8u, 9u, 63u, 64u, 65u, 128u, 511u, 513u, 4100u})
    for (std::size_t const columns : {1u, 4u, 63u, 64u, 127u, 128u, 129u, 1023u, 1025u, 4100u}) {
      table_case const c = aligned(rows, columns);
      if (c.room() > 5'000'000 || at_most_given({c.room()}).empty()) continue;
      expect_bands<float, float>(c);
      expect_bands<float, double>(c);
    }
}
TEST(cuda_bands, of_every_type_have_them) {
  UPSWEEP_NEEDS_A_GPU();
  for (table_case const& c : {aligned(1, 1), aligned(70, 200), aligned(300, 700),
                              aligned(129, 1280), aligned(2000, 2048)}) {
    if (at_most_given({c.room()}).empty()) continue;
    expect_bands<std::uint8_t, std::uint64_t>(c);
    expect_bands<std::uint8_t, std::uint32_t>(c);
    expect_bands<std::int8_t, std::int64_t>(c);
    expect_bands<std::int32_t, std::int64_t>(c);
    expect_bands<std::int16_t, std::int16_t>(c);
    expect_bands<double, double>(c);
  }
}
TEST(cuda_bands, have_them_in_long_lines) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({1000, 100'000, 3'000'000})) {
    expect_bands<float, float>(aligned(3, n / 3));
    expect_bands<float, float>(aligned(n / 16, 3));
  }
}
TEST(cuda_bands, have_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(400); ++k) {
    table_case c = k % 3 == 0   ? aligned(1 + next() % 5000, 1 + next() % 300)
                   : k % 3 == 1 ? aligned(1 + next() % 300, 1 + next() % 5000)
                                : aligned(1 + next() % 1000, 1 + next() % 1000);
    c.gap += next() % 3 * 4;
    c.in_place = next() % 2 == 0;
    if (at_most_given({c.room()}).empty()) continue;
    expect_bands<float, float>(c);
    if (k % 2 == 0) expect_bands<float, double>(c);
  }
}
TEST(cuda_bands, are_what_a_call_chooses_for_large_tables) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const rows : {7071u, 8000u}) {
    table_case c = aligned(rows, 7069);
    if (at_most_given({c.room()}).empty()) continue;
    cuda_plans plans{cuda_device::current()};
    apps::summed_area_table(c.view<float const>(nullptr), c.view<float>(nullptr),
                            gpu{.plans_to = &plans});
    ASSERT_EQ(plans.launches.size(), 1u);
    EXPECT_STREQ(plans.launches[0].name(), "scan_bands");
    expect_table<float, double>(c);
    expect_table<std::uint8_t, std::uint32_t>(c);
    c.in_place = true;
    expect_table<float, float>(c);
  }
}
/// The look-backs depend on timing, so many runs are compared.
TEST(cuda_bands, are_the_same_when_a_graph_is_replayed) {
  UPSWEEP_NEEDS_A_GPU();
  table_case const c = aligned(8448, 4096);
  if (at_most_given({c.room()}).empty()) return;
  auto const x = elements<float>(c.room());
  std::vector<float> want(x.size());
  apps::summed_area_table(c.view(x.data()), c.view(want.data()), cpu{});
  own_stream const stream;
  on_gpu<float> const in(x), out(want.size());
  gpu const on{.stream = stream.get()};
  recorded_calls const graph(
      stream.get(), [&] { apps::summed_area_table(c.view(in.data()), c.view(out.data()), on); });
  for (int k = 0; k < 10; ++k) {
    graph.launch(stream.get(), 20);
    stream.wait();
    expect_same(out.values(), want);
  }
}

}  // namespace
}  // namespace upsweep::test
