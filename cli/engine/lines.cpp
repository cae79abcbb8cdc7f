/// Where the lines of an array lie, and their results.
#include <cli/engine/lines.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

namespace upsweep::cli {

namespace {

/// Columns of results with `rows` uninitialized rows.
std::vector<column_buffer> make_columns(folding_factory const& make, std::size_t rows) {
  std::vector<column_buffer> columns;
  folding_set const set = make();
  for (auto const& info : set.results()) columns.emplace_back(info.type).resize(rows);
  return columns;
}

}  // namespace

line_map::line_map(io::array_view const& array, std::size_t axis)
    : values{array.type, array.bytes},
      size(array.shape[axis]),
      stride(array.strides[axis]),
      shape_(array.shape),
      strides_(array.strides),
      axis_(axis) {
  out_strides_.assign(shape_.size(), 1);
  for (std::size_t d = shape_.size(); d-- > 1;) out_strides_[d - 1] = out_strides_[d] * shape_[d];
  for (std::size_t d = 0; d < shape_.size(); ++d) count *= d == axis ? 1 : shape_[d];
  out_stride = out_strides_[axis];
}

line_map::start_of_line line_map::start(std::size_t line) const {
  start_of_line at;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (d == axis_) continue;
    at.in += line % shape_[d] * strides_[d];
    at.out += line % shape_[d] * out_strides_[d];
    line /= shape_[d];
  }
  return at;
}

void line_map::gather(column_buffer& to, std::size_t line, std::size_t from, std::size_t n,
                      bool from_end) const {
  auto const step = static_cast<std::ptrdiff_t>(stride);
  std::size_t const first = start(line).in + (from_end ? size - 1 - from : from) * stride;
  to.clear();
  to.append_strided(values, first, from_end ? -step : step, n);
}

void line_map::scatter(column_buffer& all, io::typed_column results, std::size_t line,
                       std::size_t from, bool from_end) const {
  std::size_t const bytes = size_of(results.type), base = start(line).out;
  std::byte* const to = all.bytes();
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::size_t const position = from_end ? size - 1 - from - i : from + i;
    std::memcpy(to + (base + position * out_stride) * bytes, element(results, i), bytes);
  }
}

std::size_t find_axis(int axis, std::vector<std::size_t> const& shape) {
  int const rank = static_cast<int>(shape.size());
  if (axis < -rank || axis >= rank)
    throw io::usage_error(
        fmt::format("--axis {}: the array has {} dimension{} ({}); give {}.", axis, rank,
                    rank == 1 ? "" : "s", fmt::join(shape, " x "),
                    rank == 0 ? "no axis" : fmt::format("0 to {}, or -{} to -1", rank - 1, rank)));
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<column_buffer> reduce_lines(io::array_view const& array, std::size_t axis,
                                        folding_factory const& make, int threads) {
  line_map const lines(array, axis);
  auto columns = make_columns(make, lines.count);
  for_each_reduced_line(
      lines, [&](std::size_t) { return make(); }, threads,
      [&](std::size_t line, folding_set& set) {
        set.finish();
        auto const row = set.rows();
        for (std::size_t c = 0; c < columns.size(); ++c) {
          std::size_t const bytes = size_of(columns[c].type());
          std::memcpy(columns[c].bytes() + line * bytes, element(row[c], 0), bytes);
        }
      });
  return columns;
}

std::vector<column_buffer> scan_lines(io::array_view const& array, std::size_t axis, scan_kind kind,
                                      bool from_end, folding_factory const& make, int threads) {
  line_map const lines(array, axis);
  auto columns = make_columns(make, lines.count * lines.size);
  auto const begin = [&](std::size_t) {
    auto set = make();
    set.restart(from_end && lines.size > 0 ? lines.size - 1 : 0);
    return set;
  };
  scan_lines_into(columns, lines, kind, from_end, begin, threads);
  return columns;
}

}  // namespace upsweep::cli
