/// Exact sums, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct family<exact_sum>;

}  // namespace upsweep::dynamic
