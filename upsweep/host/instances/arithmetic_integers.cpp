/// Sums and products of integers: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<plus, kinds::integers>;
template struct compiled_operator<multiplies, kinds::integers>;

}  // namespace upsweep::host
