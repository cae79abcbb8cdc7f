/// Sums and products, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<arithmetic_operators>;

}  // namespace upsweep::dynamic
