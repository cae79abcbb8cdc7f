// Launches of the same kernel: 100 that leave memory as it was, 100 that count, 3 that print.
#include <cstdio>

__global__ void square(int const* in, int* out) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 50; ++k) sum += in[i];
  out[i] = sum;
}
__global__ void count(int* steps, int* seen) {
  steps[threadIdx.x] += 1;
  seen[steps[threadIdx.x]] = -1;
}
__global__ void shift(int* x) {
  unsigned const i = threadIdx.x;
  for (int k = 0; k < 50; ++k) x[i + 32] = x[i] + k;
}
__global__ void use(int const* seen, int* out) {
  *out = seen[100];
}
__global__ void say() {
  if (threadIdx.x == 0) printf("hello\n");
}
int main() {
  int *in, *out, *steps, *seen, *last, one = 0, total = 0;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  cudaMalloc(&steps, sizeof(int));
  cudaMalloc(&seen, 200 * sizeof(int));
  cudaMalloc(&last, sizeof(int));
  cudaMemset(in, 0, 4096 * sizeof(int));
  cudaMemset(steps, 0, sizeof(int));
  for (int i = 0; i < 100; ++i) square<<<16, 256>>>(in, out);
  for (int i = 0; i < 100; ++i) count<<<1, 1>>>(steps, seen);
  for (int i = 0; i < 3; ++i) say<<<1, 32>>>();
  for (int i = 0; i < 3; ++i) shift<<<1, 32>>>(in);
  use<<<1, 1>>>(seen, last);
  cudaMemcpy(&total, steps, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&one, last, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", total, one);
}
