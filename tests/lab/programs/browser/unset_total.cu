/// A dot product whose blocks add to a total that nobody has set to 0.
#include <cstdio>

constexpr int threads = 256;

__global__ void dot(int n, double const* x, double const* y, double* total) {
  __shared__ double products[threads];
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  products[threadIdx.x] = i < n ? x[i] * y[i] : 0;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int t = 0; t < threads; ++t) sum += products[t];
  atomicAdd(total, sum);
}

int main(int argc, char**) {
  constexpr int n = 2000;
  double host[n], *x, *total, result = 0;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&total, sizeof *total);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  if (argc > 1) cudaMemset(total, 0, sizeof *total);
  dot<<<(n + threads - 1) / threads, threads>>>(n, x, x, total);
  cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost);
  std::printf("right: %d\n", result == 2664667000.0);  // (n - 1) n (2n - 1) / 6
}
