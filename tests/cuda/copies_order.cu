/// Kernels of the suites of order: operators that show every grouping, or that do not commute.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct copies<name_tree, tree_name>;
template struct copies<compose_maps<true>, affine_map<std::uint64_t>>;
template struct copies<compose_maps<false>, affine_map<double>>;
template struct copies<matrix_product, matrix>;
}  // namespace upsweep::test
