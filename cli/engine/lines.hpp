/// The lines of an n-dimensional array along one axis, for reduce --axis and scan --axis.
#pragma once

#include <cli/engine/folding_set.hpp>
#include <io/input.hpp>
#include <upsweep/host/executor.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace upsweep::cli {

/// Makes the operators for one line. Each thread needs its own.
using folding_factory = std::function<folding_set()>;

/// `axis` as an index into `shape`; negative numbers count from the last. Throws usage_error if
/// there is no such axis.
[[nodiscard]] std::size_t find_axis(int axis, std::vector<std::size_t> const& shape);

/// The results of every line along `axis`, in row-major order of the other dimensions: one column
/// for each column of results of the set.
[[nodiscard]] std::vector<column_buffer> reduce_lines(io::array_view const& array, std::size_t axis,
                                                      folding_factory const& make, int threads);

/// One result per element, in row-major order. `from_end` scans every line from its last element to
/// its first.
[[nodiscard]] std::vector<column_buffer> scan_lines(io::array_view const& array, std::size_t axis,
                                                    scan_kind kind, bool from_end,
                                                    folding_factory const& make, int threads);

/// Where the lines of an array lie.
class line_map {
 public:
  /// The first element of a line, as an index in the input and in a row-major output of the same
  /// shape.
  struct start_of_line {
    std::size_t in = 0, out = 0;
  };

  line_map(io::array_view const& array, std::size_t axis);
  [[nodiscard]] start_of_line start(std::size_t line) const;
  /// Gathers elements [from, from + n) of the line, in its direction.
  void gather(column_buffer& values, std::size_t line, std::size_t from, std::size_t n,
              bool from_end) const;
  /// Stores results of elements from `from` on in a row-major output of the same shape.
  void scatter(column_buffer& all, io::typed_column results, std::size_t line, std::size_t from,
               bool from_end) const;

  io::typed_column values;
  std::size_t size, stride, out_stride = 1, count = 1;

 private:
  std::vector<std::size_t> shape_, strides_, out_strides_;
  std::size_t axis_;
};

/// Lines that are read together, so that whole cache lines are used even along an axis with a
/// stride; and elements of each that are read at a time.
inline constexpr std::size_t lines_together = 16, elements_at_once = 2048;

/// Calls f(sets, first, n) for bundles of lines [first, first + n), with make(line) for each, on
/// `threads` threads.
template <class Make, class F>
void for_bundles(line_map const& lines, Make const& make, int threads, F const& f) {
  std::size_t const bundles = (lines.count + lines_together - 1) / lines_together;
  cpu{.threads = threads}.for_each_line(
      bundles, lines_together * std::max<std::size_t>(lines.size, 1),
      [&](std::size_t b, auto const&) {
        std::size_t const first = b * lines_together,
                          n = std::min(lines_together, lines.count - first);
        std::vector<decltype(make(first))> sets;
        for (std::size_t i = 0; i < n; ++i) sets.push_back(make(first + i));
        f(sets, first, n);
      });
}

/// Calls finished(line, set) for each line, when make(line) has taken its values.
template <class Make, class F>
void for_each_reduced_line(line_map const& lines, Make const& make, int threads,
                           F const& finished) {
  for_bundles(lines, make, threads, [&](auto& sets, std::size_t first, std::size_t n) {
    column_buffer values(lines.values.type);
    for (std::size_t from = 0; from < lines.size && lines.stride != 1; from += elements_at_once)
      for (std::size_t i = 0; i < n; ++i) {
        lines.gather(values, first + i, from, std::min(elements_at_once, lines.size - from), false);
        sets[i].reduce(std::vector{values.view()});
      }
    if (lines.stride == 1)
      for (std::size_t i = 0; i < n; ++i)
        sets[i].reduce(std::vector{slice(lines.values, lines.start(first + i).in, lines.size)});
    for (std::size_t i = 0; i < n; ++i) finished(first + i, sets[i]);
  });
}

/// scan_lines() by sets make(line), into columns that have room.
template <class Make>
void scan_lines_into(std::vector<column_buffer>& columns, line_map const& lines, scan_kind kind,
                     bool from_end, Make const& make, int threads) {
  for_bundles(lines, make, threads, [&](auto& sets, std::size_t first, std::size_t n) {
    column_buffer values(lines.values.type);
    auto const for_parts = [&](auto const& f) {
      for (std::size_t from = 0; from < lines.size; from += elements_at_once)
        for (std::size_t i = 0; i < n; ++i) {
          lines.gather(values, first + i, from, std::min(elements_at_once, lines.size - from),
                       from_end);
          f(i, from);
        }
    };
    if (sets[0].looks_ahead())
      for_parts([&](std::size_t i, std::size_t) { sets[i].collect(std::vector{values.view()}); });
    for_parts([&](std::size_t i, std::size_t from) {
      sets[i].scan(kind, std::vector{values.view()});
      auto const rows = sets[i].rows();
      for (std::size_t c = 0; c < columns.size(); ++c)
        lines.scatter(columns[c], rows[c], first + i, from, from_end);
      sets[i].clear();
    });
  });
}

}  // namespace upsweep::cli
