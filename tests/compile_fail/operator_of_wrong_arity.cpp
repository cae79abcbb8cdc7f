/// An operator that takes one operand, and so names no accumulator either.
#include <upsweep/upsweep.hpp>

#include <vector>

auto total(std::vector<int> const& x) {
#ifdef CORRECT
  return upsweep::reduce(x, [](int a, int b) { return a < b ? b : a; });
#else
  return upsweep::reduce(x, [](int a) { return a; });
#endif
}
