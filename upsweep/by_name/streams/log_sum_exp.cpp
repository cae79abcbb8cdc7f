/// Logarithms of sums of exponentials, by name.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

namespace upsweep::dynamic {

stream_rows streams_of_log_sum_exp() {
  return streams_over<types<log_sum_exp>, wide_floats>::rows;
}

}  // namespace upsweep::dynamic
