/// Products of every built-in type.
#include <upsweep/cpu/compiled/instantiate.hpp>

namespace upsweep {

UPSWEEP_COMPILE_INTEGERS(multiplies)
UPSWEEP_COMPILE_FLOATS(multiplies)
#ifdef UPSWEEP_HAS_FLOAT16
UPSWEEP_COMPILE(multiplies, float16)
#endif
UPSWEEP_COMPILE(multiplies, bfloat16)

}  // namespace upsweep
