/// An output whose elements a sum does not convert to.
#include <upsweep/upsweep.hpp>

#include <string>
#include <vector>

#ifdef CORRECT
using element = double;
#else
using element = std::string;
#endif

void running_total(std::vector<int> const& x, std::vector<element>& out) {
  upsweep::exclusive_scan(x, out);
}
