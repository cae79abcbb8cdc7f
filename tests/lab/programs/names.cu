// Arrays whose names are those of types in mangled names.
#include <cstdio>

__device__ int i[4];
__global__ void late_write(int k, int* out) {
  extern __shared__ int s[];
  __shared__ float f[32];
  if (threadIdx.x < 16) f[threadIdx.x] = 1;
  out[threadIdx.x] = 0;
  if (k == 0) out[threadIdx.x] = s[threadIdx.x];
  if (k == 1) out[threadIdx.x] = f[threadIdx.x];
  if (k == 2) i[threadIdx.x] = 1;
}
int main(int argc, char** argv) {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  late_write<<<1, 32, 128>>>(argv[1][0] - '0', out);
  cudaDeviceSynchronize();
}
