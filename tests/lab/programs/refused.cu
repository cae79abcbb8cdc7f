// Words that the emulator refuses by name: each is chosen by a macro.
#include <cstdio>
#ifdef HELPER
#include <helper_timer.h>
#endif
#include <cuda_runtime.h>

__global__ void kernel(int* x) {
#ifdef SHFL
  x[0] = __shfl(x[threadIdx.x], 0);
#elif defined(SHFL_DOWN)
  x[0] = __shfl_down(x[threadIdx.x], 1);
#elif defined(BALLOT)
  x[0] = __ballot(x[threadIdx.x] > 0);
#elif defined(ANY)
  x[0] = __any(x[threadIdx.x] > 0);
#endif
}

int main() {
#ifdef RESOURCE
  cudaResourceDesc about = {};
#elif defined(FORMAT)
  cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
#elif defined(CHANNEL)
  auto about = cudaCreateChannelDesc<float>();
#endif
  int n = 1 << 4, threads = 32;
  std::printf("%d %d\n", n, threads);
}
