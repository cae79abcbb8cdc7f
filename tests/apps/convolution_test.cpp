/// The forms of convolution beside sums over scattered products.
#include <upsweep/apps/convolution.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

using apps::outputs_kept;

struct shape {
  std::size_t rows, columns;
  [[nodiscard]] std::size_t size() const { return rows * columns; }
};

/// All outputs: each filter element scatters the whole image. An output is reached by the filter's
/// elements in their row-major order, which is the order that the contract names.
std::vector<double> scattered(std::vector<float> const& x, shape n, std::vector<float> const& f,
                              shape m) {
  shape const out{n.rows + m.rows - 1, n.columns + m.columns - 1};
  std::vector<double> y(out.size());
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.columns; ++j)
      for (std::size_t r = 0; r < n.rows; ++r)
        for (std::size_t c = 0; c < n.columns; ++c)
          y[(r + i) * out.columns + c + j] +=
              static_cast<double>(f[i * m.columns + j]) * static_cast<double>(x[r * n.columns + c]);
  return y;
}

/// Where the kept outputs begin among all, as numpy.convolve has it.
std::size_t start(std::size_t n, std::size_t m, outputs_kept kept) {
  std::size_t const shorter = n < m ? n : m;
  return kept == outputs_kept::full   ? 0
         : kept == outputs_kept::same ? (shorter - 1) / 2
                                      : shorter - 1;
}

void expect_all_forms(shape n, shape m, outputs_kept kept) {
  std::size_t const layers = 2;
  auto x = random_elements<float>(n.size()), filters = random_elements<float>(layers * m.size());
  shape const size{apps::convolved_size(n.rows, m.rows, kept),
                   apps::convolved_size(n.columns, m.columns, kept)};
  std::vector<double> expected;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    std::vector<float> const filter(
        filters.begin() + static_cast<std::ptrdiff_t>(layer * m.size()),
        filters.begin() + static_cast<std::ptrdiff_t>((layer + 1) * m.size()));
    auto const all = scattered(x, n, filter, m);
    for (std::size_t r = 0; r < size.rows; ++r)
      for (std::size_t c = 0; c < size.columns; ++c)
        expected.push_back(all[(r + start(n.rows, m.rows, kept)) * (n.columns + m.columns - 1) + c +
                               start(n.columns, m.columns, kept)]);
  }
  std::vector<double> const first(expected.begin(),
                                  expected.begin() + static_cast<std::ptrdiff_t>(size.size()));
  strided_view<float> const image(x.data(), {n.rows, n.columns}),
      filter(filters.data(), {m.rows, m.columns}),
      both(filters.data(), {layers, m.rows, m.columns});
  on_each_executor([&](auto const& on) {
    std::vector<double> direct(first.size()), tiled(first.size()), product(expected.size());
    auto const view = [&](std::vector<double>& y) {
      return strided_view<double>(y.data(), {size.rows, size.columns});
    };
    apps::convolve(image, filter, view(direct), kept, on);
    apps::convolve_tiled(image, filter, view(tiled), kept, on);
    apps::convolve_as_matrix_product(
        image, both, strided_view<double>(product.data(), {layers, size.rows, size.columns}), kept,
        on);
    ASSERT_EQ(direct, first) << seed_note();
    ASSERT_EQ(tiled, first) << seed_note();
    ASSERT_EQ(product, expected) << seed_note();
  });
}

TEST(convolution, three_forms_have_the_bits_of_scattered_products) {
  for (outputs_kept const kept : {outputs_kept::valid, outputs_kept::same, outputs_kept::full})
    for (auto const& [n, m] : {std::pair<shape, shape>{{1, 1}, {1, 1}},
                               {{1, 9}, {1, 4}},
                               {{1, 4}, {1, 9}},
                               {{1, 1500}, {1, 5}},
                               {{13, 20}, {3, 3}},
                               {{13, 20}, {5, 2}},
                               {{3, 40}, {7, 7}},
                               {{5, 1030}, {3, 3}},
                               {{1, 600}, {1, 600}},
                               {{30, 1}, {4, 1}}})
      expect_all_forms(n, m, kept);
}

TEST(convolution, modes_are_those_of_numpy) {
  // numpy.convolve([1, 2, 3], [0, 1, 0.5], mode), and with a filter of 4
  std::vector<double> const x{1, 2, 3}, odd{0, 1, 0.5}, even{1, 1, 0, 2};
  auto const convolved = [&](std::vector<double> const& filter, outputs_kept kept) {
    std::vector<double> y(apps::convolved_size(x.size(), filter.size(), kept));
    apps::convolve(x, filter, y, kept);
    return y;
  };
  using list = std::vector<double>;
  EXPECT_EQ(convolved(odd, outputs_kept::full), (list{0, 1, 2.5, 4, 1.5}));
  EXPECT_EQ(convolved(odd, outputs_kept::same), (list{1, 2.5, 4}));
  EXPECT_EQ(convolved(odd, outputs_kept::valid), (list{2.5}));
  EXPECT_EQ(convolved(even, outputs_kept::full), (list{1, 3, 5, 5, 4, 6}));
  EXPECT_EQ(convolved(even, outputs_kept::same), (list{3, 5, 5, 4}));
  EXPECT_EQ(convolved(even, outputs_kept::valid), (list{5, 5}));
}

TEST(convolution, takes_views_with_gaps) {
  std::vector<float> x{1, -9, 2, -9, 3, -9}, f{1, 1};
  std::vector<double> y(2);
  strided_view<float> const spaced(x.data(), {1, 3}, {6, 2}), filter(f.data(), {1, 2});
  strided_view<double> const out(y.data(), {1, 2});
  apps::convolve_tiled(spaced, filter, out, outputs_kept::valid);
  EXPECT_EQ(y, (std::vector<double>{3, 5}));
}

TEST(convolution, refuses_empty_arrays_other_sizes_and_its_own_input) {
  std::vector<double> const none, one{1}, three{1, 2, 3};
  std::vector<double> out(2), same{1, 2, 3};
  EXPECT_THROW(apps::convolve(none, one, out, outputs_kept::full), precondition_error);
  EXPECT_THROW(apps::convolve(one, none, out, outputs_kept::full), precondition_error);
  EXPECT_THROW(apps::convolve(three, one, out, outputs_kept::same), precondition_error);
  EXPECT_THROW(apps::convolve(same, one, same, outputs_kept::same), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
