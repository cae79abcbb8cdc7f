/// Sums and products, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

template struct family<plus, multiplies>;

}  // namespace upsweep::dynamic
