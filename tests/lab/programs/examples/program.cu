// Reverses an array in two ways; the number of elements may be given.
#include <cstdlib>

__global__ void naive(float const* in, float* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

__global__ void tiled(float const* in, float* out, int n) {
  __shared__ float tile[32];
  int const t = threadIdx.x, i = blockIdx.x * 32 + t;
  if (i < n) tile[t] = in[i];
  __syncthreads();
  int const from = blockIdx.x * 32 + 31 - t;
  if (from < n) out[n - 1 - from] = tile[31 - t];
}

int main(int count, char** arguments) {
  int const n = count > 1 ? std::atoi(arguments[1]) : 64;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemset(in, 0, n * sizeof(float));
  naive<<<(n + 31) / 32, 32>>>(in, out, n);
  tiled<<<(n + 31) / 32, 32>>>(in, out, n);
  cudaFree(in);
  cudaFree(out);
}
