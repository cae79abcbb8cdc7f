/// Moments: the processor's reductions on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<moments>;

}  // namespace upsweep::host
