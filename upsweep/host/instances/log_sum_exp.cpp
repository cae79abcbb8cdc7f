/// Sums of exponentials: the processor's reductions on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<log_sum_exp>;

}  // namespace upsweep::host
