/// Minima and maxima, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<min_max_operators>;

}  // namespace upsweep::dynamic
