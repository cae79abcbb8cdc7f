/// Sums of rows by segments on the emulator, with the bits of a reduction of each column.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/segments/rows.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

template <class E, class A>
E expected_sum(std::vector<A> const& x) {
  return x.empty() ? E(0.0F) : static_cast<E>(reference::reduce(x, plus{}));
}
template <class E>
std::vector<E> numbers(std::size_t n, random_bits& next) {
  std::vector<E> x;
  for (std::size_t i = 0; i < n; ++i)
    x.push_back(E(static_cast<float>(static_cast<double>(next() >> 40) * 0x1p-22 - 2)));
  return x;
}

/// Launches both kernels.
template <class E, class A, class Rows>
std::vector<E> run_rows(sim::machine& m, row_sums_call<E, A> call, Rows const& rows) {
  std::size_t const ranges = call.size / rows_of_part + 1, groups = (call.columns + 31) / 32;
  call.out = m.allocate<E>(call.count * call.columns, "out");
  call.parts = m.allocate<A>(ranges * call.columns, "parts");
  auto const blocks = [&](std::size_t work) {
    return static_cast<unsigned>((work * groups + row_sum_warps - 1) / row_sum_warps);
  };
  m.launch({.name = "sum_row_parts", .blocks = {blocks(ranges)}, .threads = {row_sum_threads}},
           sum_row_parts<E, A, Rows>, call, rows);
  m.launch(
      {.name = "sum_parts_of_rows", .blocks = {blocks(call.count)}, .threads = {row_sum_threads}},
      sum_parts_of_rows<E, A, Rows>, call, rows);
  return m.to_host(call.out, call.count * call.columns);
}

template <class E, class A>
void expect_sums(std::vector<std::int64_t> const& borders, std::size_t columns, bool ordered) {
  auto const size = static_cast<std::size_t>(borders.back());
  SCOPED_TRACE(testing::Message() << size << " rows of " << columns << ", " << seed_note());
  random_bits next(test_seed() + size * columns);
  auto const x = numbers<E>(size * columns, next);
  std::vector<std::int64_t> order(size);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  if (ordered)
    for (std::size_t i = size; i > 1; --i) std::swap(order[i - 1], order[next.below(i)]);
  sim::machine m = machine_for({sim::schedule::random, size});
  auto const put = [&]<class T>(std::vector<T> const& from, char const* name) {
    auto* const to = m.allocate<T>(from.size() + 1, name);
    m.to_device(to, std::span<T const>(from));
    return to;
  };
  std::size_t const count = borders.size() - 1;
  auto const got = run_rows<E, A>(
      m, {put(borders, "borders"), count, size, columns, nullptr, nullptr},
      matrix_rows<E, A>{put(x, "x"), ordered ? put(order, "order") : nullptr, columns});
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<A> of_column;
      for (std::int64_t i = borders[k]; i < borders[k + 1]; ++i)
        of_column.push_back(static_cast<A>(
            x[static_cast<std::size_t>(order[static_cast<std::size_t>(i)]) * columns + c]));
      EXPECT_TRUE(same_bits(got[k * columns + c], (expected_sum<E, A>(of_column))))
          << "segment " << k << ", column " << c;
    }
  expect_no_finding(m);
}

TEST(rows_on_sim, are_summed_by_segments) {
  expect_sums<float, float>({0, 0, 1, 3, 3, 3, 18, 34, 65, 320, 576, 833, 833, 900, 2700, 2700}, 5,
                            false);
  expect_sums<bfloat16, float>({0, 255, 511, 768, 1793, 1794}, 33, true);
  expect_sums<double, double>({0, 4097}, 2, true);
  expect_sums<float, float>({0, 100, 4300, 4301, 8653}, 1, false);
  expect_sums<float, float>({0, 0, 0}, 3, false);
}

TEST(rows_on_sim, may_be_many_empty_segments_between_others) {
  std::vector<std::int64_t> borders(2000, 0);
  borders.insert(borders.end(), 3000, 250);
  borders.insert(borders.end(), 100, 600);
  expect_sums<float, float>(borders, 3, false);
}

TEST(rows_on_sim, have_random_lengths) {
  random_bits next(test_seed());
  for (unsigned repeat = 0; repeat < 6; ++repeat) {
    std::vector<std::int64_t> borders{0};
    for (unsigned k = 0; k < 40; ++k) {
      std::uint64_t const most = next.below(4) == 0 ? 700 : 20;
      borders.push_back(borders.back() + static_cast<std::int64_t>(next.below(most)));
    }
    expect_sums<float, float>(borders, 1 + next.below(4), repeat % 2 == 0);
  }
}

TEST(rows_on_sim, wrong_borders_lead_to_no_access_outside) {
  random_bits next(test_seed());
  constexpr std::size_t size = 600;
  auto const x = numbers<float>(size, next);
  for (std::vector<std::int64_t> const& borders :
       {std::vector<std::int64_t>{-5, 300, 700}, {0, 600, 20, 600}, {900, 10, -1, 601}, {40, 40}}) {
    sim::machine m = machine_for({sim::schedule::random, 1});
    auto* const in = m.allocate<float>(size, "x");
    auto* const cut = m.allocate<std::int64_t>(borders.size(), "borders");
    m.to_device(in, std::span<float const>(x));
    m.to_device(cut, std::span<std::int64_t const>(borders));
    (void)run_rows<float, float>(m, {cut, borders.size() - 1, size, 1, nullptr, nullptr},
                                 matrix_rows<float, float>{in, nullptr, 1});
    for (auto const& f : m.result().findings)
      EXPECT_TRUE(f.sentence.find("never been written") != std::string::npos) << f.sentence;
  }
}

TEST(rows_on_sim, of_a_norm_give_the_gradient_of_its_weights) {
  constexpr std::size_t size = 1100, columns = 7;
  random_bits next(test_seed());
  auto const x = numbers<float>(size * columns, next), g = numbers<float>(size * columns, next);
  auto scale = numbers<double>(size, next);
  for (double& s : scale) s += 3;
  sim::machine m = machine_for({sim::schedule::random, 1});
  auto const put = [&]<class T>(std::vector<T> const& from, char const* name) {
    auto* const to = m.allocate<T>(from.size(), name);
    m.to_device(to, std::span<T const>(from));
    return to;
  };
  auto const got = run_rows<float, double>(
      m, {nullptr, 1, size, columns, nullptr, nullptr},
      normed_rows<float, double>{put(x, "x"), put(g, "g"), put(scale, "scale"), columns});
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> terms;
    for (std::size_t i = 0; i < size; ++i)
      terms.push_back(g[i * columns + c] * (x[i * columns + c] / scale[i]));
    EXPECT_TRUE(same_bits(got[c], (expected_sum<float, double>(terms)))) << "column " << c;
  }
  expect_no_finding(m);
}

}  // namespace
}  // namespace upsweep::test
