/// First-order recurrences, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<affine_operators>;

}  // namespace upsweep::dynamic
