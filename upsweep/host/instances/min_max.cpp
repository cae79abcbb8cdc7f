/// Minima and maxima: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<min>;
template struct compiled_operator<max>;
template struct compiled_operator<min_number>;
template struct compiled_operator<max_number>;

}  // namespace upsweep::host
