/// Minima and maxima, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct family<min, max, min_number, max_number>;

}  // namespace upsweep::dynamic
