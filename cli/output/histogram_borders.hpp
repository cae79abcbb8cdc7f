/// The borders of the bins of `upsweep histogram`, which are exact for integers.
#pragma once

#include <cli/engine/buffers.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
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

}  // namespace upsweep::cli
