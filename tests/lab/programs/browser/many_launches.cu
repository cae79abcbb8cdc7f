// More launches in one function than browsers take of code that is not optimized.
#include <cstdio>

template <int more>
__global__ void added(int* x, int const* y) {
  x[threadIdx.x] += y[threadIdx.x] + more;
}
#define FOUR(i)                  \
  added<i><<<1, 32>>>(x, y);     \
  added<i + 1><<<1, 32>>>(x, y); \
  added<i + 2><<<1, 32>>>(x, y); \
  added<i + 3><<<1, 32>>>(x, y)
#define SIXTEEN(i) \
  FOUR(i);         \
  FOUR(i + 4);     \
  FOUR(i + 8);     \
  FOUR(i + 12)

int main() {
  int *x, *y;
  cudaMallocManaged(&x, 32 * sizeof(int));
  cudaMallocManaged(&y, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) x[i] = y[i] = i;
  SIXTEEN(0);
  SIXTEEN(16);
  SIXTEEN(32);
  SIXTEEN(48);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", x[0], x[31]);
}
