// Divisions by zero, shifts by too much, and conversions of numbers that do not fit.
#include <cstdio>

__global__ void divides(int const* x, int* out) {
  int const t = threadIdx.x;
  out[t] = 100 / x[t] + 100 % x[t];
}
__global__ void divides_long(unsigned long long* x) {
  x[threadIdx.x] = 1000 / x[threadIdx.x];
}
__global__ void shifts(int by, int* out) {
  out[threadIdx.x] = 1 << (threadIdx.x + by);
}
__global__ void converts(float x, int* out) {
  out[0] = static_cast<int>(x * 1e10f);
  out[1] = static_cast<int>(static_cast<unsigned>(-x));
  out[2] = static_cast<unsigned char>(x * 300);
  out[3] = static_cast<int>(static_cast<unsigned>(x));
}

int main() {
  int *x, *out;
  unsigned long long* y;
  cudaMallocManaged(&x, 8 * sizeof(int));
  cudaMallocManaged(&out, 8 * sizeof(int));
  cudaMallocManaged(&y, 8 * sizeof *y);
  for (int i = 0; i < 8; ++i) x[i] = y[i] = i;
  divides<<<1, 8>>>(x, out);
  divides_long<<<1, 8>>>(y);
  cudaDeviceSynchronize();
  std::printf("%d %d %llu\n", out[1], out[7], y[2]);
  shifts<<<1, 8>>>(28, out);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", out[0], out[3]);
  converts<<<1, 1>>>(2.5f, out);
  cudaDeviceSynchronize();
  std::printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}
