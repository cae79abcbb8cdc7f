/// Sums and products with overflow detection, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<checked_operators>;

}  // namespace upsweep::dynamic
