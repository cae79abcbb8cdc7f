/// The table scans of the CUDA backend on the emulator: along columns, along rows, and first along
/// columns and then along rows, with the bits of the reference, for all extents around borders of
/// tiles, on every schedule, without a finding.
#include <device/on_sim.hpp>
#include <upsweep/cuda/tables/scan_table.hpp>

namespace upsweep::test {
namespace {

using namespace device;

/// Tiles of 4 rows of 64 elements, 8 rows of 128, and 2 rows of 32.
using small_tile = table_shape<2, 2, 2, 1>;
using tall_tile = table_shape<4, 2, 4, 1>;
using tiny_tile = table_shape<2, 1, 1, 1>;

/// A matrix whose rows are `pitch` elements apart and begin `offset` elements behind an aligned
/// address; every second element if `step` is 2.
struct table_case {
  std::size_t rows, columns;
  std::size_t gap = 0;  ///< elements between rows
  unsigned offset = 0;
  std::ptrdiff_t step = 1;  ///< from one column to the next
  bool in_place = false;
  unsigned blocks = 3, launches = 1;
};

/// The prefixes of each column, of each row, or of each row of the prefixes of columns.
template <class A, class Op>
std::vector<A> expected_table(table_scan along, std::vector<A> x, std::size_t rows,
                              std::size_t columns, Op const& op) {
  auto const scan_lines = [&](std::size_t lines, std::size_t line_stride, std::size_t size,
                              std::size_t stride) {
    for (std::size_t line = 0; line < lines; ++line) {
      std::vector<A> one;
      for (std::size_t k = 0; k < size; ++k) one.push_back(x[line * line_stride + k * stride]);
      auto const prefixes = tree_prefixes(one, op);
      for (std::size_t k = 0; k < size; ++k) x[line * line_stride + k * stride] = prefixes[k];
    }
  };
  if (along != table_scan::rows) scan_lines(columns, 1, rows, columns);
  if (along != table_scan::columns) scan_lines(rows, columns, columns, 1);
  return x;
}

template <table_scan along, class Shape, class T, class R, class A, class Op>
void expect_table(table_case const& c, Op const& op, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << c.rows << " rows of " << c.columns << ", gap " << c.gap
                                  << ", offset " << c.offset << ", step " << c.step << ", "
                                  << (c.in_place ? "in place, " : "") << s << ", " << seed_note());
  sim::machine m = machine_for(s);
  table_call const call{1,
                        c.rows,
                        c.columns,
                        static_cast<unsigned>((c.rows + Shape::height - 1) / Shape::height),
                        static_cast<unsigned>((c.columns + Shape::width - 1) / Shape::width),
                        c.in_place};
  auto const totals = table_scratch::of<along>(call);
  std::size_t const words = workspace_words::needed<A>(totals.columns + totals.rows);
  workspace_words const workspace = workspace_on(m, words);
  std::size_t const step = static_cast<std::size_t>(c.step), pitch = c.columns * step + c.gap,
                    room = c.rows * pitch + c.offset + 1;
  std::size_t const levels = line_bits * (line_levels(call.tile_rows) * Shape::width +
                                          line_levels(call.tile_columns) * Shape::height);
  for (unsigned k = 0; k < c.launches; ++k) {
    auto const x = elements_for<T>(room, k);
    T* const in = m.allocate<T>(room, "in");
    m.to_device(in, std::span<T const>(x));
    auto const poison = elements_for<R>(room, 99);
    R* out = nullptr;
    if constexpr (std::is_same_v<T, R>)
      if (c.in_place) out = in;
    if (!out) {
      out = m.allocate<R>(room, "out");
      m.to_device(out, std::span<R const>(poison));
    }
    auto const memory = [&]<class U>(U* first) {
      bool const vectors = step == 1 && c.offset == 0 && pitch % Shape::items == 0;
      return matrix_memory<U>{first + c.offset, 0, static_cast<std::ptrdiff_t>(pitch), c.step,
                              vectors};
    };
    m.launch({.name = "scan_table",
              .blocks = {c.blocks},
              .threads = {Shape::threads},
              .shared_bytes = levels * sizeof(boxed<A>)},
             scan_table<along, Shape, A, Op, T, R>, memory(static_cast<T const*>(in)), memory(out),
             call, op, workspace);
    std::vector<A> elements;
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.columns; ++j)
        elements.push_back(static_cast<A>(x[c.offset + i * pitch + j * step]));
    auto const want = expected_table(along, elements, c.rows, c.columns, op);
    std::vector<R> all;
    if constexpr (std::is_same_v<T, R>) all = x;
    if (!c.in_place) all = poison;
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.columns; ++j)
        all[c.offset + i * pitch + j * step] = static_cast<R>(want[i * c.columns + j]);
    auto const got = m.to_host(out, room);
    for (std::size_t i = 0; i < room; ++i)
      ASSERT_TRUE(same_bits(got[i], all[i]))
          << "launch " << k << ", element " << i << " of memory: " << shown(got[i]) << " is not "
          << shown(all[i]);
  }
  expect_no_finding(m);
}
template <class Shape>
void expect_floats(table_case const& c, scheduled const& s = {}) {
  expect_table<table_scan::both, Shape, float, float, float>(c, plus{}, s);
}

TEST(device_tables, have_the_bits_of_the_tree_at_every_border_of_tiles) {
  for (std::size_t const rows : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 33u})
    for (std::size_t const columns : {1u, 2u, 31u, 63u, 64u, 65u, 128u, 193u})
      expect_floats<small_tile>({rows, columns});
  for (std::size_t const rows : {7u, 8u, 25u})
    for (std::size_t const columns : {4u, 127u, 128u, 300u})
      expect_floats<tall_tile>({rows, columns});
}
/// 8, 9, 63, 64, 65 and 130 tiles in a line: nodes of 8 and of 64 tiles.
TEST(device_tables, have_them_behind_many_tiles) {
  for (std::size_t const tiles : {7u, 8u, 9u, 16u, 63u, 64u, 65u, 72u, 130u}) {
    expect_floats<tiny_tile>({2 * tiles, 40});
    expect_floats<tiny_tile>({3, 32 * tiles});
  }
  expect_floats<tiny_tile>({2 * 1030, 3});
  expect_floats<tiny_tile>({40, 32 * 20});
}
TEST(device_tables, have_them_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (unsigned const blocks : {1u, 5u, 16u}) {
      expect_floats<small_tile>({.rows = 45, .columns = 64 * 9 + 5, .blocks = blocks}, s);
      expect_floats<tiny_tile>({.rows = 40, .columns = 40, .blocks = blocks, .launches = 2}, s);
    }
}
TEST(device_tables, take_rows_with_gaps_columns_with_strides_and_their_own_memory) {
  for (unsigned const offset : {0u, 1u})
    for (std::size_t const gap : {0u, 1u, 4u})
      for (bool const in_place : {false, true})
        for (std::ptrdiff_t const step : {1, 2})
          expect_floats<small_tile>({.rows = 11,
                                     .columns = 130,
                                     .gap = gap,
                                     .offset = offset,
                                     .step = step,
                                     .in_place = in_place});
}
TEST(device_tables, widen_and_wrap) {
  for (std::size_t const columns : {65u, 128u, 640u}) {
    table_case const c{.rows = 21, .columns = columns};
    expect_table<table_scan::both, small_tile, float, double, double>(c, plus{});
    expect_table<table_scan::both, tall_tile, double, double, double>(c, plus{});
    expect_table<table_scan::both, tall_tile, std::uint8_t, std::uint64_t, unsigned long long>(
        c, plus{});
    expect_table<table_scan::both, tall_tile, std::uint8_t, std::uint32_t, unsigned>(c, plus{});
    expect_table<table_scan::both, small_tile, std::int32_t, std::int64_t, unsigned long long>(
        c, plus{});
    expect_table<table_scan::both, small_tile, std::int16_t, std::int16_t, unsigned>(c, plus{});
  }
}
TEST(device_tables, keep_the_order_of_operands_along_one_dimension) {
  for (std::size_t const rows : {1u, 9u, 70u})
    for (std::size_t const columns : {5u, 65u, 700u}) {
      table_case const c{.rows = rows, .columns = columns};
      expect_table<table_scan::columns, small_tile, double, double, double>(c, plus{});
      expect_table<table_scan::rows, small_tile, double, double, double>(c, plus{});
    }
}

}  // namespace
}  // namespace upsweep::test
