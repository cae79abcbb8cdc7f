/// A file that is compiled without nvcc uses the GPU through the library's precompiled kernels.
#include <upsweep/core/errors.hpp>
#include <upsweep/cuda.hpp>

#include <cstdio>
#include <span>
#include <string_view>

int main() try {
  float* const nowhere = nullptr;
  upsweep::inclusive_scan(upsweep::gpu{}, std::span<float const>(nowhere, 1),
                          std::span<float>(nowhere, 1));
  std::puts("a GPU is there");  // the scan of memory that does not exist fails later, in its stream
  return 0;
} catch (upsweep::error const& e) {
  std::puts(e.what());
  return std::string_view(e.what()).find("no NVIDIA GPU") != std::string_view::npos ? 5 : 1;
}
