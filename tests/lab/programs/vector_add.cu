// Adds two vectors, one element per thread.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                          \
  do {                                                       \
    cudaError_t const e = (call);                            \
    if (e != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(e)); \
      std::exit(1);                                          \
    }                                                        \
  } while (0)

__global__ void vector_add(float const* a, float const* b, float* c, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  int const n = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc(&d_a, n * sizeof(float)));
  CHECK(cudaMalloc(&d_b, n * sizeof(float)));
  CHECK(cudaMalloc(&d_c, n * sizeof(float)));
  CHECK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  int const threads = 256;
  vector_add<<<(n + threads - 1) / threads, threads>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(c.data(), d_c, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += c[i] != 3.0f * i;
  std::printf("%d of %d elements are wrong\n", wrong, n);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return wrong != 0;
}
