/// Maxima of every built-in type.
#include <upsweep/cpu/compiled/instantiate.hpp>

namespace upsweep {

UPSWEEP_COMPILE_INTEGERS(max)
UPSWEEP_COMPILE_FLOATS(max)
UPSWEEP_COMPILE_INTEGERS(max_number)
UPSWEEP_COMPILE_FLOATS(max_number)

}  // namespace upsweep
