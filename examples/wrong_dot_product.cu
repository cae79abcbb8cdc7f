// Wrong on purpose: all threads of a block add to one element, and nothing orders them.
#include <cstdio>
__global__ void dot(int const* a, int const* b, int* sum) {
  int const i = threadIdx.x;
  sum[0] = sum[0] + a[i] * b[i];
  __syncthreads();
}
int main() {
  int a[] = {1, 2, 3, 4}, *x, *sum, result = 0;
  cudaMalloc(&x, sizeof a), cudaMalloc(&sum, sizeof result);
  cudaMemcpy(x, a, sizeof a, cudaMemcpyHostToDevice), cudaMemset(sum, 0, sizeof result);
  dot<<<1, 4>>>(x, x, sum);
  cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
}
