/// What reduce and scan share with --axis: a whole array in, its lines' results out.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace upsweep::cli {

/// An array, the axis along which its lines lie, and what is computed of each line.
struct opened_array {
  io::input in;
  std::size_t axis;
  std::vector<std::size_t> shape;
  aggregation_plan plan;
};

/// Opens the input, or only `part` of it. Throws usage_error for --column, for columns in --op, for
/// an input that is no array, and for an axis that it does not have.
[[nodiscard]] opened_array open_array(input_flags const& flags,
                                      std::vector<operator_use> const& uses, int axis,
                                      std::optional<io::file_part> part = {});

/// How the results of lines are written, of an array with these other dimensions.
[[nodiscard]] io::output_options options_of_lines(output_flags const& flags, std::size_t columns,
                                                  std::vector<std::size_t> const& shape);

/// The operators of a line. Those of one line are used for another after begin(), which lets them
/// forget all values, and tells them what is before the line.
struct line_operators {
  std::function<std::unique_ptr<aggregation>()> make;
  std::function<void(aggregation&, std::size_t line)> begin = [](aggregation& set, std::size_t) {
    set.restart(0);
  };
};

/// The results of every line, in row-major order of the other dimensions: one column for each of
/// the operators'. Lines are read by the library, if it has the operator, in one pass over memory.
[[nodiscard]] std::vector<column_buffer> reduce_lines(opened_array& from,
                                                      line_operators const& operators,
                                                      aggregate_settings const& settings);
/// One result per element, in row-major order.
[[nodiscard]] std::vector<column_buffer> scan_lines(opened_array& from, scan_kind kind,
                                                    line_operators const& operators,
                                                    aggregate_settings const& settings);
/// What the operators of each line keep of its values.
[[nodiscard]] text_buffer parts_of_lines(opened_array& from, line_operators const& operators,
                                         aggregate_settings const& settings);

/// Writes columns of results of the same size.
void write_columns(output_flags const& flags, io::output_options const& options,
                   std::vector<io::column_info> const& info,
                   std::vector<column_buffer> const& columns);

}  // namespace upsweep::cli
