/// Minima and maxima of integers: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<min, integers_only>;
template struct compiled_operator<max, integers_only>;
template struct compiled_operator<min_number, integers_only>;
template struct compiled_operator<max_number, integers_only>;

}  // namespace upsweep::host
