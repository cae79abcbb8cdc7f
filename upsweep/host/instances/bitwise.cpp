/// Bitwise operators: the verbs of the processor over the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct UPSWEEP_API compiled<bit_and>;
template struct UPSWEEP_API compiled<bit_or>;
template struct UPSWEEP_API compiled<bit_xor>;

}  // namespace upsweep::host
