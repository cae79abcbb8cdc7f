/// A histogram as a self-contained page of HTML.
#pragma once

#include <cli/output/histogram_bars.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace upsweep::cli {

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
