/// Sums of exponentials: the CPU's reductions on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operators<dynamic::log_sum_exp_operators>;

}  // namespace upsweep::host
