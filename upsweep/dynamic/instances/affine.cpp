/// First-order recurrences, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct family<affine>;

}  // namespace upsweep::dynamic
