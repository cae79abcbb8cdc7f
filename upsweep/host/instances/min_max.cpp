/// Minima and maxima: the verbs of the processor over the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled<min>;
template struct compiled<max>;
template struct compiled<min_number>;
template struct compiled<max_number>;

}  // namespace upsweep::host
