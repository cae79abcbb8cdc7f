/// A transform whose function takes two elements.
#include <upsweep/upsweep.hpp>

#include <vector>

void squares(std::vector<int> const& x, std::vector<long>& out) {
#ifdef CORRECT
  upsweep::transform_inclusive_scan(x, out, [](int a) { return a * a; });
#else
  upsweep::transform_inclusive_scan(x, out, [](int a, int b) { return a * b; });
#endif
}
