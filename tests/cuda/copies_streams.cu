/// Kernels of the suites of streams and of axes.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct chunk_copies<name_tree, tree_name>;
template struct chunk_copies<compose_maps<true>, affine_map<std::uint64_t>>;
template struct chunk_copies<plus, float>;
template struct chunk_copies<plus, double>;
}  // namespace upsweep::test
