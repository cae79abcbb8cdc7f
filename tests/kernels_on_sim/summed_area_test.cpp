/// The table scans of the CUDA backend on the emulator: along columns, along rows, and first along
/// columns and then along rows, with the bits of the reference, for all extents around borders of
/// tiles, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/summed_area/scan_bands.hpp>
#include <upsweep/cuda/summed_area/scan_table.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Tiles of 4 rows of 64 elements, 8 rows of 128, and 2 rows of 32.
using small_tile = table_shape<2, 2, 2, 1>;
using tall_tile = table_shape<4, 2, 4, 1>;
using tiny_tile = table_shape<2, 1, 1, 1>;

/// A matrix whose rows are `pitch` elements apart and begin `offset` elements after an aligned
/// address; every second element if `step` is 2.
struct table_case {
  std::size_t rows, columns, planes = 1;
  std::size_t gap = 0;  ///< elements between rows
  unsigned offset = 0;
  std::ptrdiff_t step = 1;  ///< from one column to the next
  bool in_place = false, reversed = false;
  unsigned blocks = 3, launches = 1;

  [[nodiscard]] std::size_t pitch() const { return columns * static_cast<std::size_t>(step) + gap; }
  [[nodiscard]] std::size_t room() const { return planes * rows * pitch() + offset; }
  /// Where element (i, j) of plane p is, counted from the end if reversed.
  [[nodiscard]] std::size_t place(std::size_t p, std::size_t i, std::size_t j) const {
    std::size_t const at = (p * rows + i) * pitch() + j * static_cast<std::size_t>(step);
    return reversed ? room() - 1 - gap - at : offset + at;
  }
  friend std::ostream& operator<<(std::ostream& to, table_case const& c) {
    return to << c.planes << " planes of " << c.rows << " rows of " << c.columns << ", gap "
              << c.gap << ", offset " << c.offset << ", step " << c.step
              << (c.in_place ? ", in place" : "") << (c.reversed ? ", reversed" : "");
  }
};

/// The inclusive prefixes of each column, of each row, or of each row of the prefixes of columns.
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

/// Elements of matrices in the emulator's memory.
template <unsigned items, class T>
matrix_memory<T> memory_of(table_case const& c, T* first) {
  auto const pitch = static_cast<std::ptrdiff_t>(c.pitch());
  bool const vectors = c.step == 1 && c.offset == 0 && c.pitch() % items == 0;
  T* const begin = first + c.offset + (c.reversed ? c.room() - c.offset - 1 - c.gap : 0);
  std::ptrdiff_t const sign = c.reversed ? -1 : 1;
  return {begin, sign * pitch * static_cast<std::ptrdiff_t>(c.rows), sign * pitch, sign * c.step,
          vectors && !c.reversed};
}

/// Puts the results for the elements `x` in their positions in `all`.
template <table_scan along, table_output output, class T, class R, class A, class Op>
void put_results(table_case const& c, std::vector<T> const& x, Op const& op,
                 scan_start<A> const& start, std::vector<R>& all) {
  bool const down = along == table_scan::columns;
  for (std::size_t p = 0; p < c.planes; ++p) {
    std::vector<A> elements;
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.columns; ++j)
        elements.push_back(static_cast<A>(x[c.place(p, i, j)]));
    auto const prefixes = expected_table(along, elements, c.rows, c.columns, op);
    for (std::size_t i = 0; i < c.rows; ++i)
      for (std::size_t j = 0; j < c.columns; ++j) {
        std::size_t const k = down ? i : j, size = down ? c.rows : c.columns,
                          at = i * c.columns + j, before = at - (down ? c.columns : 1);
        if (output == table_output::total && k + 1 != size) continue;
        bool const is_first = output == table_output::exclusive && k == 0;
        A result =
            is_first ? start.first : prefixes[output == table_output::exclusive ? before : at];
        if (start.has_initial && !is_first) result = op(start.initial, result);
        all[c.place(p, i, j)] = static_cast<R>(result);
      }
  }
}

template <class Shape>
table_call call_of(table_case const& c) {
  return {{c.rows, c.columns},
          c.planes,
          static_cast<unsigned>((c.rows + Shape::height - 1) / Shape::height),
          static_cast<unsigned>((c.columns + Shape::width - 1) / Shape::width),
          c.reversed};
}

/// Launches a kernel by launch(machine, in, out, workspace) and compares all memory of the output.
template <table_scan along, table_output output, class T, class R, class A, class Op, class Launch>
void expect_results(table_case const& c, Op const& op, scan_start<A> const& start,
                    std::size_t totals, scheduled const& s, Launch const& launch) {
  SCOPED_TRACE(testing::Message() << c << ", " << s << ", " << seed_note());
  sim::machine m = machine_for(s);
  workspace_words const workspace = workspace_on(m, workspace_words::needed<A>(totals));
  for (unsigned k = 0; k < c.launches; ++k) {
    auto const x = elements_for<T>(c.room(), k);
    T* const in = m.allocate<T>(c.room(), "in");
    m.to_device(in, std::span<T const>(x));
    std::vector<R> all = elements_for<R>(c.room(), 99);
    R* out = nullptr;
    if constexpr (std::is_same_v<T, R>)
      if (c.in_place) {
        all = x;
        out = in;
      }
    if (!out) {
      out = m.allocate<R>(c.room(), "out");
      m.to_device(out, std::span<R const>(all));
    }
    launch(m, static_cast<T const*>(in), out, workspace);
    put_results<along, output>(c, x, op, start, all);
    auto const got = m.to_host(out, c.room());
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], all[i])) << "launch " << k << ", element " << i << " of memory";
  }
  expect_no_finding(m);
}

template <table_scan along, table_output output, class Shape, class T, class R, class A, class Op>
void expect_table(table_case const& c, Op const& op, std::optional<A> const& initial = {},
                  scheduled const& s = {}) {
  table_call const call = call_of<Shape>(c);
  auto const totals = table_scratch::of<along>(call);
  std::size_t const levels = line_bits * (line_levels(call.tile_rows) * Shape::width +
                                          line_levels(call.tile_columns) * Shape::height);
  scan_start<A> start{initial.value_or(A{}), A{}, initial.has_value()};
  if (initial)
    start.first = *initial;
  else if constexpr (monoid_over<Op, A>)
    start.first = identity_of<A>(op);
  expect_results<along, output, T, R>(
      c, op, start, totals.columns + totals.rows, s,
      [&](sim::machine& m, T const* in, R* out, workspace_words const& workspace) {
        m.launch({.name = "scan_table",
                  .blocks = {c.blocks},
                  .threads = {Shape::threads},
                  .shared_bytes = levels * sizeof(boxed<A>)},
                 scan_table<along, output, Shape, A, Op, T, R>, memory_of<Shape::items>(c, in),
                 memory_of<Shape::items>(c, out), call, op, start, workspace);
      });
}
template <class Shape>
void expect_floats(table_case const& c, scheduled const& s = {}) {
  expect_table<table_scan::both, table_output::inclusive, Shape, float, float, float>(c, plus{}, {},
                                                                                      s);
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
TEST(device_tables, have_them_after_many_tiles) {
  for (std::size_t const tiles : {7u, 8u, 9u, 16u, 63u, 64u, 65u, 72u, 130u}) {
    expect_floats<tiny_tile>({2 * tiles, 40});
    expect_floats<tiny_tile>({3, 32 * tiles});
  }
  expect_floats<tiny_tile>({2 * 1030, 3});
  expect_floats<tiny_tile>({40, 32 * 20});
}
TEST(device_tables, have_them_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (unsigned const blocks : {1u, 7u}) {
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
template <class T, class R, class A>
void expect_both(table_case const& c) {
  expect_table<table_scan::both, table_output::inclusive, small_tile, T, R, A>(c, plus{});
  expect_table<table_scan::both, table_output::inclusive, tall_tile, T, R, A>(c, plus{});
}
TEST(device_tables, widen_and_wrap) {
  for (std::size_t const columns : {65u, 128u, 640u}) {
    table_case const c{.rows = 21, .columns = columns, .planes = columns == 65 ? 3u : 1u};
    expect_both<float, double, double>(c);
    expect_both<double, double, double>(c);
    expect_both<std::uint8_t, std::uint64_t, unsigned long long>(c);
    expect_both<std::uint8_t, std::uint32_t, unsigned>(c);
    expect_both<std::int32_t, std::int64_t, unsigned long long>(c);
    expect_both<std::int16_t, std::int16_t, unsigned>(c);
  }
}

/// Sums in bands, of elements whose rows begin at multiples of 16 bytes.
template <class Shape, class T, class R, class A>
void expect_bands(table_case const& c, unsigned stages = 3, scheduled const& s = {}) {
  table_call const call = call_of<Shape>(c);
  std::size_t const totals = call.tile_rows > 1 ? c.planes * call.tile_rows * c.columns : 0;
  expect_results<table_scan::both, table_output::inclusive, T, R>(
      c, plus{}, scan_start<A>{}, totals, s,
      [&](sim::machine& m, T const* in, R* out, workspace_words const& workspace) {
        m.launch({.name = "scan_bands",
                  .blocks = {c.blocks},
                  .threads = {band_warps<Shape>::threads},
                  .shared_bytes = band_layout<Shape, T, A>(call).bytes(stages)},
                 scan_bands<Shape, A, plus, T, R>, memory_of<Shape::items>(c, in),
                 memory_of<Shape::items>(c, out), call, plus{}, stages, workspace);
      });
}
/// Bands of 4 rows in tiles of 64 columns, of 16 rows and 128 columns, and of 4 rows and 32.
using small_band = table_shape<2, 2, 2, 1>;
using tall_band = table_shape<4, 4, 4, 1>;
using tiny_band = table_shape<4, 1, 1, 1>;

TEST(device_bands, have_the_bits_of_the_tree_at_every_border_of_tiles) {
  for (std::size_t const rows : {1u, 3u, 4u, 5u, 8u, 33u})
    for (std::size_t const columns : {1u, 4u, 63u, 64u, 65u, 128u, 193u, 321u}) {
      std::size_t const gap = (4 - columns % 4) % 4;
      expect_bands<small_band, float, float, float>({.rows = rows, .columns = columns, .gap = gap});
      expect_bands<tall_band, float, float, float>({.rows = rows, .columns = columns, .gap = gap});
    }
}
/// Nodes of 8 and of 64 bands, and counters of up to 9 digits.
TEST(device_bands, have_them_after_many_tiles) {
  for (std::size_t const tiles : {7u, 8u, 9u, 63u, 64u, 65u, 130u}) {
    expect_bands<tiny_band, float, float, float>({4 * tiles, 40});
    expect_bands<tiny_band, float, float, float>({7, 32 * tiles});
  }
  expect_bands<tiny_band, float, float, float>({5, 32 * 515});
}
TEST(device_bands, have_them_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (unsigned const blocks : {1u, 7u})
      expect_bands<tiny_band, float, float, float>(
          {.rows = 41, .columns = 168, .blocks = blocks, .launches = 2}, blocks == 1 ? 8 : 3, s);
}
TEST(device_bands, take_rows_with_gaps_planes_and_their_own_memory) {
  for (bool const in_place : {false, true})
    for (std::size_t const planes : {1u, 3u})
      expect_bands<small_band, float, float, float>(
          {.rows = 11, .columns = 130, .planes = planes, .gap = 6, .in_place = in_place});
}
TEST(device_bands, widen_and_wrap) {
  for (std::size_t const columns : {64u, 128u, 640u}) {
    table_case const c{.rows = 37, .columns = columns};
    expect_bands<tall_band, float, double, double>(c);
    expect_bands<small_band, double, double, double>(c);
    expect_bands<tall_band, std::uint8_t, std::uint64_t, unsigned long long>(c);
    expect_bands<tall_band, std::uint8_t, std::uint32_t, unsigned>(c, 8);
    expect_bands<tall_band, std::int16_t, std::int16_t, unsigned>(c);
  }
}

/// Both kinds of scans, and reductions, along both dimensions.
template <class Shape, class T, class Op>
void expect_lines(table_case const& c, Op const& op, std::optional<T> const& initial = {},
                  scheduled const& s = {}) {
  using enum table_output;
  expect_table<table_scan::columns, inclusive, Shape, T, T, T>(c, op, initial, s);
  expect_table<table_scan::rows, inclusive, Shape, T, T, T>(c, op, initial, s);
  expect_table<table_scan::columns, total, Shape, T, T, T>(c, op, initial, s);
  expect_table<table_scan::rows, total, Shape, T, T, T>(c, op, initial, s);
  if (!monoid_over<Op, T> && !initial) return;
  expect_table<table_scan::columns, exclusive, Shape, T, T, T>(c, op, initial, s);
  expect_table<table_scan::rows, exclusive, Shape, T, T, T>(c, op, initial, s);
}
TEST(device_tables, scan_and_reduce_lines_in_order) {
  for (std::size_t const rows : {1u, 9u, 70u})
    for (std::size_t const columns : {5u, 65u, 700u}) {
      table_case c{.rows = rows, .columns = columns, .planes = rows == 9 ? 3u : 1u};
      expect_lines<small_tile, double>(c, plus{});
      expect_lines<tiny_tile, triple>(c, compose_triples{});
      c.reversed = c.in_place = true;
      expect_lines<small_tile, affine_map<double>>(c, affine{}, affine_map<double>{0.5, 2});
      expect_lines<tall_tile, float>(c, plus{}, 3.0f);
    }
  expect_lines<tiny_tile, wide>({.rows = 40, .columns = 70, .planes = 2}, join_wide{}, wide{});
}
TEST(device_tables, scan_and_reduce_lines_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    expect_lines<tiny_tile, triple>({.rows = 19, .columns = 300, .launches = 2}, compose_triples{},
                                    triple{1, 2, 3}, s);
}

}  // namespace
}  // namespace upsweep::test
