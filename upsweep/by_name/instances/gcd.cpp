/// Greatest common divisors, by name.
#include <upsweep/by_name/instances/entries.hpp>
#include <upsweep/by_name/streams/stream_of.hpp>

namespace upsweep::dynamic {

template struct calls_of<gcd_operators>;

stream_rows streams_of_gcd() {
  return streams_over<gcd_operators, wide_integers>::rows;
}

}  // namespace upsweep::dynamic
