/// Exact sums, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

namespace upsweep::dynamic {

template struct calls_of<exact_sum_operators>;

stream_rows streams_of_exact_sum() {
  return streams_over<exact_sum_operators, compute_types>::rows;
}

}  // namespace upsweep::dynamic
