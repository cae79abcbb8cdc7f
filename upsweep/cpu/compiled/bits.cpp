/// Bitwise operators over every integer type.
#include <upsweep/cpu/compiled/instantiate.hpp>

namespace upsweep {

UPSWEEP_COMPILE_INTEGERS(bit_and)
UPSWEEP_COMPILE_INTEGERS(bit_or)
UPSWEEP_COMPILE_INTEGERS(bit_xor)

}  // namespace upsweep
