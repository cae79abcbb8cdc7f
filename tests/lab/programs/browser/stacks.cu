// Threads need more stack and more: for an array of 20 KB, for recursion, and for one without an
// end.
#include <cstdio>

__global__ void large(int* out) {
  int all[5000];
  for (int i = 0; i < 5000; ++i) all[i] = i * i;
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x * 100];
}
__device__ __noinline__ int depth(int n, int last) {
  int const mine[4] = {n, n + 1, n + 2, n + 3};
  return n == last ? mine[n % 4] : depth(n + 1, last) + mine[(n + 1) % 4];
}
__global__ void deep(int last, int* out) {
  out[threadIdx.x] = depth(static_cast<int>(threadIdx.x), last);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  large<<<1, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d\n", out[1], out[31]);
  deep<<<1, 32>>>(40, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d\n", out[0], out[31]);
  deep<<<1, 32>>>(-1, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
