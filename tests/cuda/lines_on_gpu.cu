/// Scans and reductions along an axis on a GPU, one launch for all lines: the bits of the CPU
/// for every kind of scan, along every axis, for operators whose operands' order matters, with gaps
/// and in place.
#include "on_gpu.cuh"

#include <support/scan_by.hpp>
#include <upsweep/axis.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/upsweep.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

using extents = std::array<std::size_t, 3>;

/// A row-major array with `gap` elements after each row and `offset` before all.
struct line_case {
  extents size;
  std::size_t gap = 0, offset = 0;
  bool reverse = false, in_place = false, has_initial = false, column_major = false;

  [[nodiscard]] std::size_t room() const { return size[0] * size[1] * (size[2] + gap); }
  template <class T>
  [[nodiscard]] strided_view<T> view(T* first) const {
    auto const row = static_cast<std::ptrdiff_t>(size[2] + gap),
               plane = row * static_cast<std::ptrdiff_t>(size[1]);
    if (column_major)  // the same memory with the dimensions in the other order
      return {first, {size[2], size[1], size[0]}, {1, row, plane}};
    return {first, {size[0], size[1], size[2]}, {plane, row, 1}};
  }
};

template <scan_kind kind, class T, class R, class Op>
void expect_scan(line_case const& c, int axis, Op const& op) {
  SCOPED_TRACE(testing::Message() << c.size[0] << " x " << c.size[1] << " x " << c.size[2]
                                  << ", gap " << c.gap << ", offset " << c.offset << ", axis "
                                  << axis << (c.reverse ? ", reverse" : "")
                                  << (c.in_place ? ", in place" : "")
                                  << (c.column_major ? ", column-major; " : "; ") << seed_note());
  using A = accumulator_t<Op, T>;
  auto const x = elements<T>(c.room());
  auto const poison = elements<R>(c.room() + 1);
  options<A> o{.reverse = c.reverse, .axis = axis};
  if (c.has_initial) o.initial = detail::lift(op, elements<T>(7)[3], 0);
  std::vector<R> want(poison.begin(), poison.end() - 1);
  bool const in_place = c.in_place && std::is_same_v<T, R>;
  if constexpr (std::is_same_v<T, R>)
    if (in_place) want = x;
  scan_by<kind>(cpu{}, c.view(x.data()), c.view(want.data()), op, o);
  on_gpu<T> const in(x, c.offset);
  if constexpr (std::is_same_v<T, R>)
    if (in_place) {
      scan_by<kind>(gpu{}, c.view(in.data()), c.view(in.data()), op, o);
      return expect_same(in.values(), want);
    }
  on_gpu<R> const out(std::vector<R>(poison.begin(), poison.end() - 1), c.offset);
  scan_by<kind>(gpu{}, c.view(static_cast<T const*>(in.data())), c.view(out.data()), op, o);
  expect_same(out.values(), want);
}
template <class T, class R, class Op>
void expect_totals(line_case const& c, int axis, Op const& op) {
  SCOPED_TRACE(testing::Message() << "reduce " << c.size[0] << " x " << c.size[1] << " x "
                                  << c.size[2] << ", gap " << c.gap << ", offset " << c.offset
                                  << ", axis " << axis << "; " << seed_note());
  auto const x = elements<T>(c.room());
  options<accumulator_t<Op, T>> o{.reverse = c.reverse, .axis = axis};
  if (c.has_initial) o.initial = detail::lift(op, elements<T>(7)[3], 0);
  auto const view = c.view(x.data());
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < 3; ++d)
    if (d != static_cast<std::size_t>(axis)) kept.push_back(view.extent(d));
  std::vector<R> want(kept[0] * kept[1]);
  upsweep::reduce(cpu{}, view, strided_view<R>(want.data(), kept), op, o);
  on_gpu<T> const in(x, c.offset);
  on_gpu<R> const out(want.size(), c.offset);
  upsweep::reduce(gpu{}, c.view(static_cast<T const*>(in.data())),
                  strided_view<R>(out.data(), kept), op, o);
  expect_same(out.values(), want);
}
template <class T, class R, class Op>
void expect_scans(line_case const& c, Op const& op) {
  for (int const axis : {0, 1, 2}) {
    expect_totals<T, R>(c, axis, op);
    expect_scan<scan_kind::inclusive, T, R>(c, axis, op);
    expect_scan<scan_kind::exclusive, T, R>(c, axis, op);
  }
}

/// Around tiles of 16 to 128 rows and 32 and 128 columns, and around 8 and 64 of them.
std::vector<extents> const shapes{{1, 1, 1},     {1, 127, 128},  {1, 129, 129}, {3, 64, 65},
                                  {2, 33, 1025}, {1, 1025, 100}, {1, 9000, 33}, {40, 40, 40},
                                  {1, 40, 9000}, {500, 3, 4},    {4, 3, 500},   {1, 3, 20'000},
                                  {3, 20'000, 1}};

TEST(cuda_lines, have_the_bits_of_the_processor_along_every_axis) {
  UPSWEEP_NEEDS_A_GPU();
  for (extents const& size : shapes)
    for (std::size_t const gap : {0u, 4u, 5u})
      for (bool const turned : {false, true}) {
        line_case c{size, gap, gap % 2, turned, gap == 0, gap == 4, turned};
        if (!at_most_given({c.room()}).empty()) expect_scans<float, float>(c, plus{});
      }
}
TEST(cuda_lines, keep_the_order_of_operands) {
  UPSWEEP_NEEDS_A_GPU();
  for (extents const& size : shapes)
    for (bool const turned : {false, true}) {
      line_case const c{size, 0, 0, turned, turned, turned};
      if (at_most_given({c.room()}).empty()) continue;
      expect_scans<affine_map<float>, affine_map<float>>(c, affine{});
    }
}
TEST(cuda_lines, of_integers_widen_and_wrap) {
  UPSWEEP_NEEDS_A_GPU();
  for (extents const& size : shapes) {
    line_case const c{size};
    if (at_most_given({c.room()}).empty()) continue;
    expect_scans<std::uint8_t, std::int64_t>(c, plus{});
    expect_scans<std::int32_t, std::int32_t>(c, plus{});
  }
}
TEST(cuda_lines, have_them_in_random_cases) {
  UPSWEEP_NEEDS_A_GPU();
  random_bits next(test_seed());
  for (std::size_t k = 0; k < random_cases(300); ++k) {
    auto const extent = [&] { return 1 + next() % (next() % 4 == 0 ? 1500 : 60); };
    line_case const c{{extent(), extent(), extent()},
                      next() % 2 == 0 ? 0 : next() % 6,
                      next() % 4,
                      next() % 2 == 0,
                      next() % 2 == 0,
                      next() % 2 == 0,
                      next() % 3 == 0};
    if (c.room() > 4'000'000 || at_most_given({c.room()}).empty()) continue;
    int const axis = static_cast<int>(next() % 3);
    expect_scan<scan_kind::inclusive, float, float>(c, axis, plus{});
    expect_scan<scan_kind::exclusive, float, float>(c, axis, plus{});
    expect_totals<float, float>(c, axis, plus{});
  }
}

}  // namespace
}  // namespace upsweep::test
