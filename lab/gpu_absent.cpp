/// The textbook's kernels on a GPU in a build without CUDA: there are none.
#include <lab/gpu_kernels.hpp>

#include <io/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace upsweep::lab::gpu {

int block_size() {
  return 0;
}
bool has_kernel(std::string_view, workload) {
  return false;
}
kernel_run run_kernel(std::string_view stem, workload, void const*, std::size_t, void*, std::size_t,
                      bool, double, bool) {
  throw io::unavailable_error(std::string(stem) + ": built without CUDA; use --on sim");
}

}  // namespace upsweep::lab::gpu
