/// Minima and maxima, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<min, max, min_number, max_number>;

}  // namespace upsweep::dynamic
