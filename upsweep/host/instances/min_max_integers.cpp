/// Minima and maxima of integers: the CPU's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operators<dynamic::min_max_operators, kinds::integers>;

}  // namespace upsweep::host
