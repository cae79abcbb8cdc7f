/// What reduce and scan share with --axis: a whole array in, its lines' results out.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/engine/folding_set.hpp>
#include <cli/options.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace upsweep::cli {

/// An array and the axis along which its lines lie.
struct opened_array {
  io::input in;
  std::size_t axis;
  std::vector<std::size_t> shape;
};

/// Opens the input, or only `part` of it. Throws usage_error for --column, for columns in --op, for
/// an input that is no array, and for an axis that it does not have.
[[nodiscard]] opened_array open_array(input_flags const& flags,
                                      std::vector<operator_use> const& uses, int axis,
                                      std::optional<io::file_part> part = {});

/// How the results of lines are written, of an array with these other dimensions.
[[nodiscard]] io::output_options options_of_lines(output_flags const& flags, std::size_t columns,
                                                  std::vector<std::size_t> const& shape);

/// Makes the operators of a piece of one line, after which they have its values so far.
using line_factory = std::function<std::unique_ptr<aggregation>(std::size_t line)>;

/// What the operators of each line keep of its values.
[[nodiscard]] text_buffer parts_of_lines(io::array_view const& array, std::size_t axis,
                                         line_factory const& make, int threads);
/// The scans of lines that go on after values before them.
[[nodiscard]] std::vector<column_buffer> scan_lines_behind(io::array_view const& array,
                                                           std::size_t axis, scan_kind kind,
                                                           line_factory const& make, int threads);

/// Writes columns of results of the same size.
void write_columns(output_flags const& flags, io::output_options const& options,
                   std::vector<io::column_info> const& info,
                   std::vector<column_buffer> const& columns);

}  // namespace upsweep::cli
