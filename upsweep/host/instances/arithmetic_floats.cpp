/// Sums and products of floats: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<plus, kinds::floats>;
template struct compiled_operator<multiplies, kinds::floats>;

}  // namespace upsweep::host
