/// Kernels of the suite of axes that take all lines at once.
#include "copied_verbs.cuh"

#include <cstdint>

namespace upsweep::test {
template struct gpu_lines<name_tree, tree_name>;
template struct gpu_lines<compose_maps<true>, affine_map<std::uint64_t>>;
template struct gpu_lines<plus, std::int32_t>;
template struct gpu_lines<plus, float>;
template struct gpu_lines<plus, double>;
}  // namespace upsweep::test
