/// Greatest common divisors, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<gcd_operators>;

}  // namespace upsweep::dynamic
