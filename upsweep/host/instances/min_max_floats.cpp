/// Minima and maxima of floats: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<min, kinds::floats>;
template struct compiled_operator<max, kinds::floats>;
template struct compiled_operator<min_number, kinds::floats>;
template struct compiled_operator<max_number, kinds::floats>;

}  // namespace upsweep::host
