/// Minima and maxima of floats: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<min, floats_only>;
template struct compiled_operator<max, floats_only>;
template struct compiled_operator<min_number, floats_only>;
template struct compiled_operator<max_number, floats_only>;

}  // namespace upsweep::host
