/// First-order recurrences, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<affine>;

}  // namespace upsweep::dynamic
