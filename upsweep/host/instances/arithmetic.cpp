/// Sums and products: the verbs of the processor over the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct UPSWEEP_API compiled<plus>;
template struct UPSWEEP_API compiled<multiplies>;

}  // namespace upsweep::host
