/// Bitwise operators: the processor's verbs on the vector kernels.
#include <upsweep/host/vector_engine.hpp>

namespace upsweep::host {

template struct compiled_operator<bit_and>;
template struct compiled_operator<bit_or>;
template struct compiled_operator<bit_xor>;

}  // namespace upsweep::host
