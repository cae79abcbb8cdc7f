/// The borders of the bins of `upsweep histogram`, which are exact for integers; and a histogram as
/// lines of text with bars, and as a self-contained page of HTML.
#pragma once

#include <cli/engine/buffers.hpp>
#include <io/dtype.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

/// Where bins of equal width begin and end.
struct bin_range {
  double low, high;
};

/// The borders of the bins.
struct borders {
  std::optional<bin_range> range;  // absent: `levels` are given
  std::vector<double> levels;
  bool closed_right = false;
  /// The same borders for integers, i64 or u64, if doubles do not hold them.
  std::optional<column_buffer> integers{};

  [[nodiscard]] bool are_given() const { return !range.has_value(); }
  [[nodiscard]] io::typed_column column() const {
    if (integers) return integers->view();
    return io::as_column(io::dtype::f64, std::span<double const>(levels));
  }
};

/// The numbers of an option, in ascending order.
std::vector<double> border_numbers(std::string const& option,
                                   std::vector<std::string> const& words);
/// Integers of 64 bits that words are, all of them, if a double does not hold one; else none.
std::vector<int128> wide_integers_of(std::vector<std::string> const& words);
/// Integers in ascending order as i64, or u64; nothing if neither holds all.
std::optional<column_buffer> as_integers(std::vector<int128> const& numbers);
/// Those of bins of equal width, whose ends may also be given as integers that doubles do not hold.
borders even_borders(bin_range const& range, std::size_t bins, bool closed_right,
                     std::vector<int128> const& ends = {});

struct drawn_histogram {
  std::span<double const> levels;  ///< one more than bins
  bool closed_right;               ///< of the last bin
  io::typed_column heights;        ///< counts or sums
  struct {
    std::size_t below, above, nan;
  } outside;
  std::string number_format;  ///< of printf, for the borders; empty: as short as tells them apart
};

/// One line for each bin, such as "[0, 0.5)  12  ####", and one for each kind of number outside of
/// the bins if there are any. Bars are of '#', in UTF-8 locales of blocks; the longest ends at the
/// right end of the terminal, or after 80 columns.
[[nodiscard]] std::string histogram_bars(drawn_histogram const& of);

/// What the page says about its numbers.
struct histogram_names {
  std::string input, column;
  std::string heights;  ///< "count" or "sum(weights)"
  std::uint64_t rows;
};

/// The most bins that a page shows; there is a line of its table for each.
inline constexpr std::size_t most_drawn_bins = 5000;

/// Bars of equal width, in the colors that the reader's system prefers, whose tooltips have the
/// numbers, and a table.
[[nodiscard]] std::string histogram_page(drawn_histogram const& of, histogram_names const& names);

}  // namespace upsweep::cli
