/// Sums and products, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

namespace upsweep::dynamic {

template struct calls_of<arithmetic_operators>;

stream_rows streams_of_arithmetic() {
  return streams_over<arithmetic_operators, numbers_and_bool>::rows;
}

}  // namespace upsweep::dynamic
