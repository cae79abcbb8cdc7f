/// A first argument that is no executor.
#include <upsweep/upsweep.hpp>

#include <vector>

#ifdef CORRECT
using device = upsweep::cpu;
#else
struct device {};
#endif

long total(std::vector<int> const& x) {
  return upsweep::reduce(device{}, x);
}
