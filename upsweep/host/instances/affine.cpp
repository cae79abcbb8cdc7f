/// First-order recurrences: the verbs of the processor over the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled<affine>;

}  // namespace upsweep::host
