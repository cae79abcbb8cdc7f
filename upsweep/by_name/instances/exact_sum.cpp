/// Exact sums, by name.
#include <upsweep/by_name/instances/entries.hpp>

namespace upsweep::dynamic {

template struct calls_of<exact_sum_operators>;

}  // namespace upsweep::dynamic
