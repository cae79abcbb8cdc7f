// Words of old programs, and of libcu++'s integer arithmetic.
#include <cstdio>
#include <cuda/cmath>

__device__ unsigned long long __globaltimer() {
  return 7;
}
__global__ void time_of(unsigned long long* out) {
  *out = __globaltimer();
}
__global__ void round(int n, int* out) {
  out[0] = cuda::ceil_div(n, 32);
  out[1] = cuda::round_up(n, 32);
  out[2] = cuda::round_down(n, 32);
  out[3] = cuda::ilog2(n);
  out[4] = cuda::next_power_of_two(n);
}
int main() {
  cudaSetDeviceFlags(cudaDeviceBlockingSync | cudaDeviceMapHost);
  unsigned long long* time;
  int* out;
  cudaMallocManaged(&time, sizeof *time);
  cudaMallocManaged(&out, 5 * sizeof(int));
  time_of<<<1, 1>>>(time);
  round<<<cuda::ceil_div(1u, 256u), 1>>>(100, out);
  cudaThreadSynchronize();
  std::printf("%llu %d %d %d %d %d\n", *time, out[0], out[1], out[2], out[3], out[4]);
  cudaThreadExit();
}
