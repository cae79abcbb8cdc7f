/// Minima and maxima: the verbs of the processor over the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct UPSWEEP_API compiled<min>;
template struct UPSWEEP_API compiled<max>;
template struct UPSWEEP_API compiled<min_number>;
template struct UPSWEEP_API compiled<max_number>;

}  // namespace upsweep::host
