/// First-order recurrences in float and double.
#include <upsweep/cpu/compiled/instantiate.hpp>

namespace upsweep {

UPSWEEP_COMPILE(affine, affine_map<float>)
UPSWEEP_COMPILE(affine, affine_map<double>)

}  // namespace upsweep
