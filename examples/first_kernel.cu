// The sum of up to 256 numbers: a tree in the shared memory of one block.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void sum_of_block(int const* in, int* out, int n) {
  __shared__ int tile[256];
  int const t = threadIdx.x;
  tile[t] = t < n ? in[t] : 0;  // 0 is the identity of the sum
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();  // the sums of the previous step are stored
    if (t < stride) tile[t] += tile[t + stride];
  }
  if (t == 0) out[0] = tile[0];
}

int main(int argc, char** argv) {
  int const n = argc > 1 ? std::clamp(std::atoi(argv[1]), 0, 256) : 100;
  std::vector<int> const ones(256, 1);
  int *in, *out, sum = 0;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, ones.data(), 256 * sizeof(int), cudaMemcpyHostToDevice);
  sum_of_block<<<1, 256>>>(in, out, n);
  cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("the sum of %d ones is %d\n", n, sum);
  cudaFree(in);
  cudaFree(out);
}
