/// Minima and maxima: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled<min>;
template struct compiled<max>;
template struct compiled<min_number>;
template struct compiled<max_number>;

}  // namespace upsweep::host
