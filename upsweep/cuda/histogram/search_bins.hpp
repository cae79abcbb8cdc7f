/// The search for given bins, prepared by the host.
#pragma once

#include <upsweep/bin_search.hpp>
#include <upsweep/bins.hpp>
#include <upsweep/cuda/histogram/search.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace upsweep::device {

/// The search by a line in numbers of type F. A place differs from the exact one by the rounding of
/// the element, of `low`, of the difference, of the scale and of the product; a border by that of
/// its own computation in doubles. The margin is twice the sum of all.
template <class T, class F>
[[nodiscard]] even_search<T, F> search_even(detail::even_levels const& e, bool closed_right) {
  auto const bins = static_cast<double>(e.bins);
  double const width = e.high - e.low, most = std::fmax(std::fabs(e.low), std::fabs(e.high));
  double const unit = std::numeric_limits<F>::epsilon() / 2;
  double const margin = unit * (8 * bins * (most / width) + 16 * bins + 16);
  return {.low = static_cast<F>(e.low),
          .scale = static_cast<F>(bins / width),
          .end = static_cast<F>(bins + 1.5),
          .margin = static_cast<F>(margin),
          .first = e.low,
          .step = e.step,
          .last = e.high,
          .bins = static_cast<unsigned>(e.bins),
          .closed_right = closed_right};
}
/// Whether so few elements are near a border that the line is worth it, and it does not overflow.
template <class T, class F>
[[nodiscard]] bool is_useful(even_search<T, F> const& search) {
  return search.margin <= F(0x1p-8) && std::isnormal(search.scale) &&
         std::isfinite(static_cast<F>(search.last) - search.low);
}

/// The table of a level_search, and its line.
template <class T>
struct level_table {
  using border = typename detail::bin_search<T>::border;
  std::vector<unsigned> words;
  level_search<T, border> search{};

  template <class Levels>
  level_table(Levels const& levels, std::size_t bins, bool closed_right) {
    detail::bin_search<T> const search_on_host(levels, false, closed_right, 0);
    auto const borders = search_on_host.borders();
    double const low = levels[0], width = levels[bins] - low;
    std::size_t const wanted = std::bit_ceil(4 * bins), most = 4096;
    search.borders = static_cast<unsigned>(borders.size());
    search.bins = static_cast<unsigned>(bins);
    search.cells = static_cast<unsigned>(wanted < most ? wanted : most);
    search.low = low;
    search.scale = search.cells / width;
    // Infinite borders, or very near ones: all elements are in one cell.
    if (!std::isnormal(search.scale) || !std::isfinite(low)) search.cells = 1, search.scale = 0;
    words.resize(borders.size() * (sizeof(border) / 4));
    if (!borders.empty()) std::memcpy(words.data(), borders.data(), borders.size_bytes());
    unsigned b = 0;
    for (unsigned c = 0; c < search.cells; ++c) {
      while (b < search.borders && cell_of(borders[b]) < c) ++b;
      words.push_back(b);
    }
    words.push_back(search.borders);
  }

 private:
  /// As in level_search.
  [[nodiscard]] unsigned cell_of(border const& b) const {
    double cell = (static_cast<double>(b) - search.low) * search.scale;
    cell = cell > 0 ? cell : 0;
    return static_cast<unsigned>(cell < search.cells - 1 ? cell : search.cells - 1);
  }
};

}  // namespace upsweep::device
