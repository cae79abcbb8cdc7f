/// Moments: the CPU's reductions on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operators<dynamic::moments_operators>;

}  // namespace upsweep::host
