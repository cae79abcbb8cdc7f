/// Minima and maxima, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

namespace upsweep::dynamic {

template struct calls_of<min_max_operators>;

stream_rows streams_of_min_max() {
  return streams_over<types<min, max>, integers_and_wide_floats>::rows;
}
stream_rows streams_of_min_max_numbers() {
  return streams_over<types<min_number, max_number>, wide_floats>::rows;
}

}  // namespace upsweep::dynamic
