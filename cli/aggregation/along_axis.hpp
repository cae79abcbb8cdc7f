/// What reduce and scan share with --axis: a whole array in, its lines' results out.
#pragma once

#include <cli/engine/folding_set.hpp>
#include <cli/options.hpp>

#include <cstddef>
#include <vector>

namespace upsweep::cli {

/// An array and the axis along which its lines lie.
struct opened_array {
  io::input in;
  std::size_t axis;
  std::vector<std::size_t> shape;
};

/// Opens the input. Throws usage_error for --column, for columns in --op, for an input that is no
/// array, and for an axis that it does not have.
[[nodiscard]] opened_array open_array(input_flags const& flags,
                                      std::vector<operator_use> const& uses, int axis);

/// Writes columns of results of the same size.
void write_columns(output_flags const& flags, io::output_options const& options,
                   std::vector<io::column_info> const& info,
                   std::vector<column_buffer> const& columns);

}  // namespace upsweep::cli
