/// The rows of all streams.
#include <upsweep/by_name/streams/stream_of.hpp>

namespace upsweep::dynamic {

stream_row const* find_stream(catalog::id op, dtype element) noexcept {
  static stream_rows const all[] = {
      streams_of_affine(),         streams_of_arg_extrema(), streams_of_arithmetic(),
      streams_of_bitwise(),        streams_of_checked(),     streams_of_exact_sum(),
      streams_of_first_last(),     streams_of_gcd(),         streams_of_log_sum_exp(),
      streams_of_logical(),        streams_of_matrix2x2(),   streams_of_min_max(),
      streams_of_min_max_numbers()};
  for (auto const& family : all)
    for (auto const& row : family)
      if (row.op == op && row.element == element) return &row;
  return nullptr;
}

}  // namespace upsweep::dynamic
