/// Minima of every built-in type.
#include <upsweep/cpu/compiled/instantiate.hpp>

namespace upsweep {

UPSWEEP_COMPILE_INTEGERS(min)
UPSWEEP_COMPILE_FLOATS(min)
UPSWEEP_COMPILE_INTEGERS(min_number)
UPSWEEP_COMPILE_FLOATS(min_number)

}  // namespace upsweep
