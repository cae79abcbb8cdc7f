/// Kernels of the suite of axes: elements that are a stride apart.
#include "copies.cuh"

#include <cstdint>

namespace upsweep::test {
template struct line_copies<name_tree, tree_name>;
template struct line_copies<compose_maps<true>, affine_map<std::uint64_t>>;
template struct line_copies<plus, std::int32_t>;
template struct line_copies<plus, float>;
template struct line_copies<plus, double>;
}  // namespace upsweep::test
