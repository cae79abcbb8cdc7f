/// A histogram as lines of text with bars.
#pragma once

#include <io/dtype.hpp>

#include <cstddef>
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

/// The borders, in digits that tell them apart.
[[nodiscard]] std::vector<std::string> border_texts(drawn_histogram const& of);
/// Bin b of these borders: "[0, 0.5)".
[[nodiscard]] std::string bin_text(drawn_histogram const& of,
                                   std::vector<std::string> const& borders, std::size_t b);
/// The height of bin b as a double.
[[nodiscard]] double bin_height(drawn_histogram const& of, std::size_t b);

/// One line for each bin, such as "[0, 0.5)  12  ####", and one for each kind of number outside of
/// the bins if there are any. Bars are of '#', in UTF-8 locales of blocks; the longest ends at the
/// right end of the terminal, or after 80 columns.
[[nodiscard]] std::string histogram_bars(drawn_histogram const& of);

/// The same for a given width, and with blocks or without.
[[nodiscard]] std::string histogram_bars(drawn_histogram const& of, std::size_t width, bool blocks);

}  // namespace upsweep::cli
