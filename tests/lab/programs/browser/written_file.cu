/// Second differences of 150 elements, written to a file whose opening nobody tests. The first and
/// the last block read an element that the array does not have.
#include <cstdio>

constexpr int n = 150, threads = 64;

__global__ void second_difference(float const* in, float* out) {
  __shared__ float tile[threads + 2];
  int const i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  if (i >= n) return;
  tile[t] = in[i];
  if (threadIdx.x == 0) {
    tile[0] = in[i - 1];
    tile[threads + 1] = in[i + threads];
  }
  __syncthreads();
  out[i] = tile[t - 1] - 2 * tile[t] + tile[t + 1];
}

int main() {
  float host[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i * i);
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  second_difference<<<(n + threads - 1) / threads, threads>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::FILE* const file = std::fopen("/dev/null", "w");
  for (int i = 1; i < n - 1; ++i) std::fprintf(file, "%d,%g\n", i, host[i]);
  std::FILE* const other = std::fopen("no such file", "r");
  std::printf("closed: %d, missing: %d\n", std::fclose(file), other == nullptr);
}
