/// Sparse products beside dense ones, and files of Matrix Market, right and wrong.
#include <upsweep/apps/sparse_matrix.hpp>

#include <apps/support.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

using apps::matrix_element;

/// Elements with whole values, so that sums of doubles are exact: `count` of them, or as many in
/// one row, with empty rows and elements that occur twice.
std::vector<matrix_element<double>> whole(std::size_t height, std::size_t width, std::size_t count,
                                          bool in_one_row) {
  random_bits next(test_seed());
  std::vector<matrix_element<double>> elements;
  while (elements.size() < count)
    elements.push_back({static_cast<std::uint32_t>(in_one_row ? height / 2 : next.below(height)),
                        static_cast<std::uint32_t>(next.below(width)),
                        static_cast<double>(next.below(2001)) - 1000});
  return elements;
}

TEST(sparse_matrix, products_are_those_of_the_dense_matrix) {
  struct size {
    std::size_t height, width, count;
    bool in_one_row;
  };
  for (size const& s : {size{1, 1, 0, false},
                        {1, 1, 1, false},
                        {5, 9, 20, false},
                        {1000, 300, 129, false},
                        {3, 5000, 100'000, false},
                        {4097, 17, 9000, false},
                        {9, 2000, 80'000, true}}) {
    std::size_t const height = s.height, width = s.width;
    auto const elements = whole(height, width, s.count, s.in_one_row);
    std::vector<double> x, expected(height);
    for (std::size_t i = 0; i < width; ++i) x.push_back(static_cast<double>(i % 101) - 50);
    for (auto const& e : elements) expected[e.row] += e.value * x[e.column];
    on_each_executor([&](auto const& on) {
      auto const m = apps::by_rows(height, width, elements, on);
      ASSERT_EQ(m.rows.back(), elements.size());
      std::vector<double> y(height, -1);
      apps::multiply(m, x, y, on);
      ASSERT_EQ(y, expected) << height << " x " << width << ", " << seed_note();
    });
  }
}

TEST(sparse_matrix, a_row_has_the_bits_of_the_reduction_of_its_products) {
  std::size_t const height = 200, width = 1000;
  auto elements = whole(height, width, 30'000, false);
  auto const values = random_elements<double>(elements.size());
  for (std::size_t k = 0; k < elements.size(); ++k) elements[k].value = values[k];
  auto const x = random_elements<double>(width);
  std::vector<double> expected;
  for (std::size_t r = 0; r < height; ++r) {
    std::vector<double> products;  // in the order of the elements
    for (auto const& e : elements)
      if (e.row == r) products.push_back(e.value * x[e.column]);
    expected.push_back(reduce(products));
  }
  on_each_executor([&](auto const& on) {
    std::vector<double> y(height);
    apps::multiply(apps::by_rows(height, width, elements, on), x, y, on);
    EXPECT_EQ(y, expected) << seed_note();
  });
}

TEST(sparse_matrix, refuses_vectors_of_another_size_and_elements_outside) {
  using list = std::vector<matrix_element<double>>;
  auto const m = apps::by_rows(2, 3, list{{0, 2, 1.0}, {1, 0, 2.0}});
  std::vector<double> three(3), two(2);
  EXPECT_NO_THROW(apps::multiply(m, three, two));
  EXPECT_THROW(apps::multiply(m, two, two), precondition_error);
  EXPECT_THROW(apps::multiply(m, three, three), precondition_error);
  EXPECT_THROW((void)apps::by_rows(2, 3, list{{2, 0, 1.0}}), precondition_error);
  EXPECT_THROW((void)apps::by_rows(2, 3, list{{0, 3, 1.0}}), precondition_error);
}

auto read(std::string const& text) {
  std::istringstream in(text);
  return apps::read_matrix_market(in);
}

std::vector<std::vector<double>> dense(apps::sparse_matrix<double> const& m) {
  std::vector<std::vector<double>> rows(m.height, std::vector<double>(m.width));
  for (std::size_t r = 0; r < m.height; ++r)
    for (std::size_t k = m.rows[r]; k < m.rows[r + 1]; ++k) rows[r][m.columns[k]] += m.values[k];
  return rows;
}

TEST(sparse_matrix, reads_all_kinds_of_elements_comments_and_empty_lines) {
  using rows = std::vector<std::vector<double>>;
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate real general\n"
                       "% a comment\n\n2 3 3\n1 1 0.5\n% another\n2 3 -1e3\r\n  1\t2   +4\n")),
            (rows{{0.5, 4, 0}, {0, 0, -1000}}));
  EXPECT_EQ(dense(read("%%matrixmarket MATRIX Coordinate Integer Symmetric\n"
                       "3 3 3\n1 1 7\n3 1 -2\n3 2 5\n")),
            (rows{{7, 0, -2}, {0, 0, 5}, {-2, 5, 0}}));
  EXPECT_EQ(dense(read("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n")),
            (rows{{0, 1}, {1, 0}}));
  EXPECT_EQ(read("%%MatrixMarket matrix coordinate real general\n4 2 0\n").rows,
            (std::vector<std::size_t>(5)));
}

TEST(sparse_matrix, names_the_line_of_a_file_that_is_wrong) {
  auto const complaint = [](std::string const& text) {
    return message_of([&] { (void)read(text); });
  };
  std::string const banner = "%%MatrixMarket matrix coordinate real general\n";
  struct wrong {
    std::string text, complaint;
  };
  for (wrong const& w : std::vector<wrong>{
           {"", "line 1: the file does not begin"},
           {"2 2 1\n1 1 1\n", "line 1: the file does not begin"},
           {"%%MatrixMarket matrix array real general\n", "line 1: the file does not begin"},
           {"%%MatrixMarket matrix coordinate complex general\n", "line 1: the elements are"},
           {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1: the matrix is"},
           {banner, "line 1: the file ends"},
           {banner + "2 2\n", "line 2: '' is not a whole number"},
           {banner + "2 -2 1\n", "line 2: '-2' is not a whole number"},
           {banner + "2 2 1 9\n", "line 2: '9' is one word too many"},
           {banner + "% c\n2 2 1\n0 1 1\n", "line 4: row 0, column 1 is not in"},
           {banner + "2 2 1\n1 3 1\n", "line 3: row 1, column 3 is not in"},
           {banner + "2 2 1\n1 1 x\n", "line 3: 'x' is not a number"},
           {banner + "2 2 1\n1 1\n", "line 3: '' is not a number"},
           {banner + "2 2 1\n1 1 1 1\n", "line 3: '1' is one word too many"},
           {banner + "2 2 2\n1 1 1\n", "line 3: the file ends after 1 of 2"},
           {banner + "2 2 1\n1 1 1\n\n2 2 2\n", "line 5: there are more elements than the 1 of"}})
    EXPECT_NE(complaint(w.text).find(w.complaint), std::string::npos)
        << w.text << "gives: " << complaint(w.text);
}

TEST(sparse_matrix, reads_a_real_file) {
  std::ifstream file(UPSWEEP_SOURCE "/examples/data/bcsstk01.mtx");
  auto const m = apps::read_matrix_market(file);
  EXPECT_EQ(m.height, 48u);
  EXPECT_EQ(m.width, 48u);
  EXPECT_EQ(m.values.size(), 400u);  // 224 in the lower triangle, 48 of them on the diagonal
  auto const rows = dense(m);
  for (std::size_t r = 0; r < 48; ++r) {
    EXPECT_GT(rows[r][r], 0);
    for (std::size_t c = 0; c < r; ++c) EXPECT_EQ(rows[r][c], rows[c][r]);
  }
}

}  // namespace
}  // namespace upsweep::test
