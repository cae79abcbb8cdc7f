/// Sums and products with overflow detection, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

namespace upsweep::dynamic {

template struct calls_of<checked_operators>;

stream_rows streams_of_checked() {
  return streams_over<checked_operators, wide_integers>::rows;
}

}  // namespace upsweep::dynamic
