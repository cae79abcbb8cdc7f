/// An output whose elements can only be reached one after another.
#include <upsweep/upsweep.hpp>

#include <vector>

#ifdef CORRECT
#include <deque>
using output = std::deque<int>;
#else
#include <list>
using output = std::list<int>;
#endif

void running_total(std::vector<int> const& x, output& out) {
  upsweep::inclusive_scan(upsweep::cpu{}, x, out);
}
