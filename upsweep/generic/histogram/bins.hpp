/// The bins of histograms, and the elements that lie in none.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/generic/histogram/even_line.hpp>

#include <cstddef>

UPSWEEP_IEEE_BEGIN
namespace upsweep {

/// Bins of equal width from `low` to `high`. Border b of k bins is low + b * ((high - low) / k),
/// and the last border is `high`, as numpy.linspace computes them.
struct even {
  double low, high;
};

struct histogram_options {    ///< the options of histograms
  bool closed_right = false;  ///< the last bin includes its upper border, as numpy.histogram's does
};

/// Numbers of elements that lie in no bin.
struct outside_counts {
  std::size_t below = 0, above = 0, nan = 0;
  friend bool operator==(outside_counts const&, outside_counts const&) = default;
};

namespace detail {

/// The element at `position` counts in none of `size` bins.
[[noreturn]] inline void fail_index(std::size_t position, std::size_t size) {
  fail("count_indices: the element at position %zu is not an index of the %zu counts", position,
       size);
}

}  // namespace detail

}  // namespace upsweep
UPSWEEP_IEEE_END
