/// Sums and products: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<plus>;
template struct compiled_operator<multiplies>;

}  // namespace upsweep::host
