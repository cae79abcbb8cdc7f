/// Sums and products of integers: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<plus, integers_only>;
template struct compiled_operator<multiplies, integers_only>;

}  // namespace upsweep::host
