/// The works and sizes that `upsweep bench` measures.
#pragma once

#include <bench/rows/work.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

struct row {
  bench::work work;
  std::vector<std::size_t> sizes;  ///< elements
};

/// The table of docs/generated/performance.md: sums and maxima over all types, scans of all kinds,
/// affine maps, exact sums, a user's operator and sums of squares, from 2^4 to 2^28 elements.
/// `quick` keeps only the sizes and types that the goals name.
[[nodiscard]] std::vector<row> whole_table(bool quick);

/// The table of `upsweep bench` without options: reduce and inclusive_scan of float sums.
[[nodiscard]] std::vector<row> short_table(std::vector<std::size_t> const& sizes);

/// Reductions and scans of float sums in a cache and in memory, for comparisons of numbers of
/// threads.
[[nodiscard]] std::vector<row> thread_table(bool quick);

/// 2^first, 2^(first + step), ... up to 2^last.
[[nodiscard]] std::vector<std::size_t> powers_of_two(int first, int last, int step);

/// Parses "10..26", "10..26:4", "10,16,20" or "1000000": a number up to 40 is an exponent of two, a
/// larger one a count of elements. Throws std::invalid_argument for anything else.
[[nodiscard]] std::vector<std::size_t> sizes_from(std::string const& text);

}  // namespace upsweep::bench
