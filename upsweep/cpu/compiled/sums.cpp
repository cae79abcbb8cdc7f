/// Sums of every built-in type.
#include <upsweep/cpu/compiled/instantiate.hpp>

namespace upsweep {

UPSWEEP_COMPILE_REDUCE(plus, bool)
UPSWEEP_COMPILE_INTEGERS(plus)
UPSWEEP_COMPILE_FLOATS(plus)
#ifdef UPSWEEP_HAS_FLOAT16
UPSWEEP_COMPILE(plus, float16)
#endif
UPSWEEP_COMPILE(plus, bfloat16)

}  // namespace upsweep
