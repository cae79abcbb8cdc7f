/// Greatest common divisors, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct family<gcd>;

}  // namespace upsweep::dynamic
