/// What reduce and scan share with --axis.
#include <cli/aggregation/along_axis.hpp>
#include <cli/engine/lines.hpp>
#include <cli/output/results.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace upsweep::cli {

namespace {

/// The operators of a line, as lines.hpp uses them.
struct line_of_piece {
  explicit line_of_piece(std::unique_ptr<aggregation> of) : set(std::move(of)) {}

  void reduce(std::vector<io::typed_column> const& values) {
    set->add(rows_of(values), 0, n(values));
  }
  void collect(std::vector<io::typed_column> const& values) {
    set->collect(rows_of(values), 0, n(values));
  }
  void scan(scan_kind kind, std::vector<io::typed_column> const& values) {
    set->scan(kind, rows_of(values), 0, n(values));
  }
  [[nodiscard]] bool looks_ahead() const { return set->looks_ahead(); }
  [[nodiscard]] std::vector<io::typed_column> rows() const { return set->rows().columns; }
  void clear() { set->clear(); }

  std::unique_ptr<aggregation> set;

 private:
  static std::size_t n(std::vector<io::typed_column> const& values) { return values[0].size(); }
  static io::chunk rows_of(std::vector<io::typed_column> const& values) {
    io::chunk rows;
    rows.rows = n(values);
    rows.columns = values;
    return rows;
  }
};

}  // namespace

opened_array open_array(input_flags const& flags, std::vector<operator_use> const& uses, int axis,
                        std::optional<io::file_part> part) {
  for (auto const& use : uses)
    if (!use.column.empty())
      throw io::usage_error("--axis: applies to the whole array; name no columns in --op.");
  auto reading = flags.options();
  reading.part = part;
  io::input in(std::move(reading));
  if (!flags.columns.empty())
    throw io::usage_error("--axis: applies to the whole array; omit --column.");
  if (!in.shape())
    throw io::usage_error(
        fmt::format("--axis: {} is {}, which has no axes; --axis needs a .npy file.", in.name(),
                    name_of(in.format())));
  auto const shape = *in.shape();
  return {std::move(in), find_axis(axis, shape), shape};
}

io::output_options options_of_lines(output_flags const& flags, std::size_t columns,
                                    std::vector<std::size_t> const& shape) {
  io::container const format =
      flags.wanted() == io::container::automatic ? io::container::text : flags.wanted();
  io::output_options o = flags.options(format);
  if (format == io::container::npy && columns == 1) o.shape = shape;
  return o;
}

text_buffer parts_of_lines(io::array_view const& array, std::size_t axis, line_factory const& make,
                           int threads) {
  line_map const lines(array, axis);
  std::vector<saved_state> parts(lines.count);
  for_each_reduced_line(
      lines, [&](std::size_t line) { return line_of_piece(make(line)); }, threads,
      [&](std::size_t line, line_of_piece& of) { parts[line] = of.set->save_part(); });
  text_buffer all;
  for (auto const& part : parts)
    all.push({reinterpret_cast<char const*>(part.data()), part.size()});
  return all;
}

std::vector<column_buffer> scan_lines_behind(io::array_view const& array, std::size_t axis,
                                             scan_kind kind, line_factory const& make,
                                             int threads) {
  line_map const lines(array, axis);
  std::vector<column_buffer> columns;
  auto const first = make(0);
  for (auto const& info : first->columns())
    columns.emplace_back(info.type).resize(lines.count * lines.size);
  scan_lines_into(
      columns, lines, kind, false, [&](std::size_t line) { return line_of_piece(make(line)); },
      threads);
  return columns;
}

void write_columns(output_flags const& flags, io::output_options const& options,
                   std::vector<io::column_info> const& info,
                   std::vector<column_buffer> const& columns) {
  result_table out(flags, options, info, {});
  io::chunk rows;
  rows.rows = columns[0].size();
  for (auto const& column : columns) rows.columns.push_back(column.view());
  out.write(rows);
  out.commit();
}

}  // namespace upsweep::cli
