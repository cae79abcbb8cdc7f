/// First-order recurrences: the CPU's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operators<dynamic::affine_operators>;

}  // namespace upsweep::host
