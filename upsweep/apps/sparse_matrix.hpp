/// Sparse matrices in compressed rows (CSR): their product with a vector, and Matrix Market files.
///
/// The result of a row is the sum of a segment of products, so reduce_segments balances rows of any
/// lengths over threads (Blelloch, Heroux & Zagha 1993). Rows are built by counting their elements
/// and a scan of the counts. docs/apps/sparse_matrix.md.
#pragma once

#include <upsweep/histogram.hpp>
#include <upsweep/upsweep.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace upsweep::apps {

/// A matrix in compressed rows: the elements of row r are those from rows[r] to rows[r + 1], each
/// with its column.
template <class T>
struct sparse_matrix {
  std::size_t height = 0, width = 0;
  std::vector<std::size_t> rows{0};  ///< height + 1 ascending numbers from 0 to the last
  std::vector<std::uint32_t> columns;
  std::vector<T> values;
};

/// An element of a matrix, with its indices from 0.
template <class T>
struct matrix_element {
  std::uint32_t row, column;
  T value;
};

/// Builds the matrix of `elements` in any order. Elements of one row keep their order; several of
/// the same row and column count as their sum. Cost: O(elements + height). Throws
/// precondition_error for an index outside the matrix, with the position of the element.
template <class T, executor E = cpu>
[[nodiscard]] sparse_matrix<T> by_rows(std::size_t height, std::size_t width,
                                       std::vector<matrix_element<T>> const& elements,
                                       E const& on = {}) {
  sparse_matrix<T> m{height, width, std::vector<std::size_t>(height + 1),
                     std::vector<std::uint32_t>(elements.size()), std::vector<T>(elements.size())};
  std::vector<std::uint32_t> row(elements.size());
  for (std::size_t k = 0; k < elements.size(); ++k) {
    row[k] = elements[k].row;
    if (elements[k].row >= height || elements[k].column >= width)
      detail::fail("sparse_matrix: element %zu of %zu lies outside the matrix", k, elements.size());
  }
  upsweep::count_indices(on, row, m.rows);
  upsweep::exclusive_scan(on, m.rows, m.rows);
  std::vector<std::size_t> next(m.rows);
  for (auto const& element : elements) {
    std::size_t const at = next[element.row]++;
    m.columns[at] = element.column;
    m.values[at] = element.value;
  }
  return m;
}

/// y = m x: y[r] = the sum of the products of row r, with the bits of `reduce` on them; 0 for an
/// empty row. `x` has m.width elements, `y` m.height, and they must not overlap. One pass over the
/// matrix; long rows are split over threads. Throws precondition_error if a size differs.
template <class T, elements X, elements Y, executor E = cpu>
void multiply(sparse_matrix<T> const& m, X const& x, Y&& y, E const& on = {}) {
  if (std::ranges::size(x) != m.width)
    detail::fail("multiply: the matrix has %zu columns, but the vector has %zu elements", m.width,
                 std::ranges::size(x));
  auto const first = detail::first_of(x);
  auto const product = [first](T const& value, std::uint32_t column) {
    return value * first[static_cast<std::ptrdiff_t>(column)];
  };
  upsweep::reduce_segments(on, detail::zip("multiply", m.values, m.columns, product), m.rows, y);
}

}  // namespace upsweep::apps

namespace upsweep::detail {

/// Reads a Matrix Market file line by line.
class matrix_market_reader {
 public:
  explicit matrix_market_reader(std::istream& from) : from_(from) {}

  apps::sparse_matrix<double> read() {
    bool const is_pattern = read_banner();
    std::size_t const height = index(), width = index(), count = index();
    end_of_line();
    if (height > UINT32_MAX || width > UINT32_MAX)
      fail("the matrix has more than 2^32 - 1 rows or columns");
    std::vector<apps::matrix_element<double>> elements;
    for (std::size_t k = 0; k < count; ++k) {
      if (!next_line())
        fail("the file ends after " + std::to_string(k) + " of " + std::to_string(count) +
             " elements");
      std::size_t const row = index(), column = index();
      if (row < 1 || row > height || column < 1 || column > width)
        fail("row " + std::to_string(row) + ", column " + std::to_string(column) +
             " is not in a matrix of " + std::to_string(height) + " x " + std::to_string(width));
      double const value = is_pattern ? 1 : number<double>("a number");
      end_of_line();
      auto const r = static_cast<std::uint32_t>(row - 1),
                 c = static_cast<std::uint32_t>(column - 1);
      elements.push_back({r, c, value});
      if (is_symmetric_ && r != c) elements.push_back({c, r, value});
    }
    if (next_line())
      fail("there are more elements than the " + std::to_string(count) +
           " of the line with the sizes");
    return apps::by_rows(height, width, elements);
  }

 private:
  [[noreturn]] void fail(std::string const& what) const {
    throw error(("Matrix Market, line " + std::to_string(line_) + ": " + what).c_str());
  }
  /// The next line that is neither empty nor a comment.
  bool next_line() {
    while (std::getline(from_, text_)) {
      ++line_;
      rest_ = text_;
      skip_spaces();
      if (!rest_.empty() && rest_.front() != '%') return true;
    }
    return false;
  }
  bool read_banner() {
    std::getline(from_, text_);
    line_ = 1;
    for (char& c : text_) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    rest_ = text_;
    if (word() != "%%matrixmarket" || word() != "matrix" || word() != "coordinate")
      fail("the file does not begin with '%%MatrixMarket matrix coordinate'");
    std::string_view const field = word(), symmetry = word();
    if (field != "real" && field != "integer" && field != "pattern")
      fail("the elements are '" + std::string(field) + "'; real, integer and pattern are read");
    if (symmetry != "general" && symmetry != "symmetric")
      fail("the matrix is '" + std::string(symmetry) + "'; general and symmetric are read");
    is_symmetric_ = symmetry == "symmetric";
    bool const is_pattern = field == "pattern";
    if (!next_line()) fail("the file ends before the line with the sizes");
    return is_pattern;
  }
  void skip_spaces() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
  }
  std::string_view word() {
    skip_spaces();
    std::string_view const found = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(found.size());
    return found;
  }
  template <class N>
  N number(char const* wanted) {
    std::string_view text = word();
    if (text.starts_with('+')) text.remove_prefix(1);
    N value{};
    if (text.empty() || !read(text, value)) fail("'" + std::string(text) + "' is not " + wanted);
    return value;
  }
  template <class N>
  static bool read(std::string_view text, N& value) {
    char const* const last = text.data() + text.size();
#ifndef __cpp_lib_to_chars  // libc++ before 20 reads only integers by std::from_chars
    if constexpr (std::is_floating_point_v<N>) {
      std::istringstream words{std::string(text)};
      words.imbue(std::locale::classic());
      return words >> value && words.eof();
    } else
#endif
    {
      auto const [end, failure] = std::from_chars(text.data(), last, value);
      return failure == std::errc{} && end == last;
    }
  }
  std::size_t index() { return number<std::size_t>("a whole number of 0 or more"); }
  void end_of_line() {
    if (std::string_view const more = word(); !more.empty())
      fail("'" + std::string(more) + "' is one word too many on this line");
  }

  std::istream& from_;
  std::string text_;
  std::string_view rest_;
  std::size_t line_ = 0;
  bool is_symmetric_ = false;
};

}  // namespace upsweep::detail

namespace upsweep::apps {

/// Reads a Matrix Market file in coordinate format (NIST, math.nist.gov/MatrixMarket): real,
/// integer or pattern (1) elements, general or symmetric (one triangle is given, and mirrored).
/// Throws upsweep::error with the number of the line for another or a malformed file.
[[nodiscard]] inline sparse_matrix<double> read_matrix_market(std::istream& from) {
  return detail::matrix_market_reader(from).read();
}

}  // namespace upsweep::apps
