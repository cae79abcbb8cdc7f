/// An output that cannot be written.
#include <upsweep/upsweep.hpp>

#include <vector>

#ifdef CORRECT
using output = std::vector<float>;
#else
using output = std::vector<float> const;
#endif

void running_total(std::vector<float> const& x, output& out) {
  upsweep::inclusive_scan(x, out);
}
