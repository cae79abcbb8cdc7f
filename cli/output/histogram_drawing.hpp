/// A histogram as lines of text with bars, and as a self-contained page of HTML.
#pragma once

#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

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
