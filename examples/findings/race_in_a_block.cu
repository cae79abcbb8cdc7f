// The last steps of a sum rely on a warp in lockstep.
#include <cstdio>

__global__ void broken(int* x) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  for (int stride = 32; stride > 0; stride /= 2)
    if (t < stride) tile[t] += tile[t + stride];
  if (t == 0) x[0] = tile[0];
}

__global__ void fixed(int* x) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = x[t];
  for (int stride = 32; stride > 0; stride /= 2) {
    __syncthreads();  // the sums of the step before are stored
    if (t < stride) tile[t] += tile[t + stride];
  }
  if (t == 0) x[0] = tile[0];
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) x[i] = i;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  std::printf("the sum is %d\n", x[0]);
}
