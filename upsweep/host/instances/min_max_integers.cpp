/// Minima and maxima of integers: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<min, kinds::integers>;
template struct compiled_operator<max, kinds::integers>;
template struct compiled_operator<min_number, kinds::integers>;
template struct compiled_operator<max_number, kinds::integers>;

}  // namespace upsweep::host
