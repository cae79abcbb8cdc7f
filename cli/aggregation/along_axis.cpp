/// What reduce and scan share with --axis.
#include <cli/aggregation/along_axis.hpp>
#include <cli/engine/lines.hpp>
#include <cli/output/results.hpp>
#include <io/error.hpp>

#include <fmt/format.h>

namespace upsweep::cli {

opened_array open_array(input_flags const& flags, std::vector<operator_use> const& uses, int axis) {
  for (auto const& use : uses)
    if (!use.column.empty())
      throw io::usage_error("--axis: applies to the whole array; name no columns in --op.");
  io::input in(flags.options());
  if (!flags.columns.empty())
    throw io::usage_error("--axis: applies to the whole array; omit --column.");
  if (!in.shape())
    throw io::usage_error(
        fmt::format("--axis: {} is {}, which has no axes; --axis needs a .npy file.", in.name(),
                    name_of(in.format())));
  auto const shape = *in.shape();
  return {std::move(in), find_axis(axis, shape), shape};
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
