/// Which cells are measured, and how the time is shared among them.
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
/// maps, exact sums, from 2^4 to 2^28 elements; `quick` keeps the sizes and types that its goals
/// name.
[[nodiscard]] std::vector<row> whole_table(bool quick);

/// What a plain `upsweep bench` shows: reduce and inclusive_scan of float sums.
[[nodiscard]] std::vector<row> short_table(std::vector<std::size_t> const& sizes);

/// 2^first, 2^(first + step), ... up to 2^last.
[[nodiscard]] std::vector<std::size_t> powers_of_two(int first, int last, int step);

/// "10..26", "10..26:4", "10,16,20", "1000000": up to 40 a number is an exponent of two, above that
/// a count of elements. Throws std::invalid_argument with a sentence for anything else.
[[nodiscard]] std::vector<std::size_t> sizes_from(std::string const& text);

/// The largest footprint that is measured: rows stop where input and output would together exceed 2
/// GiB or a third of the memory.
[[nodiscard]] std::size_t largest_footprint(std::size_t available_memory);

/// Told before each cell: its place among how many, and what it is. Returning false ends the run
/// early.
using observer =
    std::function<bool(std::size_t done, std::size_t total, work const& w, std::size_t n)>;
/// Told each result as it comes.
using collector = std::function<void(cell const&)>;

/// Measures every cell of the rows that fits `largest`. Each cell may use a few times its even
/// share of the time that is left, so short cells leave theirs to the long ones.
void measure_all(std::vector<row> const& rows, std::vector<competitor> const& competitors, team& t,
                 settings s, double seconds, std::size_t largest, observer const& before,
                 collector const& after);

}  // namespace upsweep::bench
