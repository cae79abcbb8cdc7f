/// Kernels with functions of transforms, and of operators that a user would write.
#include "copies.cuh"

namespace upsweep::test {
template struct copies<plus, float, double, squared>;
template struct copies<plus, double, double, halved>;
template struct copies<larger_of_two, int>;
template struct copies<mixed_up_monoid, unsigned short>;
}  // namespace upsweep::test
