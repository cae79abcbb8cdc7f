/// Greatest common divisors, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<gcd>;

}  // namespace upsweep::dynamic
