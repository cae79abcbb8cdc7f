/// Sums and products of floats: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<plus, floats_only>;
template struct compiled_operator<multiplies, floats_only>;

}  // namespace upsweep::host
