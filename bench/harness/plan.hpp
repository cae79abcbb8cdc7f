/// The cells to measure, and the distribution of the time over them.
#pragma once

#include <bench/harness/measure.hpp>

#include <functional>
#include <string>
#include <vector>

namespace upsweep::bench {

struct row {
  bench::work work;
  std::vector<std::size_t> sizes;  ///< elements
};

/// The table of docs/performance.md: sums and maxima over all types, scans of all kinds, affine
/// maps, exact sums, a user's operator and sums of squares, from 2^4 to 2^28 elements. `quick`
/// keeps only the sizes and types that the goals name.
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

/// The largest footprint that is measured: 2 GiB or a third of the memory, whichever is smaller.
[[nodiscard]] std::size_t largest_footprint(std::size_t available_memory);

/// Called before each cell with its index, the number of cells, the work and n. Returning false
/// ends the run early.
using observer =
    std::function<bool(std::size_t done, std::size_t total, work const& w, std::size_t n)>;
/// Called with each result.
using collector = std::function<void(cell const&)>;

/// Measures every cell of the rows whose footprint is at most `largest`. Each cell may use a few
/// times an equal share of the remaining time, so short cells leave time for long ones.
void measure_all(std::vector<row> const& rows, std::vector<competitor> const& competitors, team& t,
                 settings s, double seconds, std::size_t largest, observer const& before,
                 collector const& after);

}  // namespace upsweep::bench
