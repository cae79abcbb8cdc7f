// A tile in shared memory is written by rows and read by columns.
#include <cstdio>

template <int columns>
__global__ void transpose(int const* x, int* y) {
  __shared__ int tile[32][columns];
  int const i = threadIdx.x, j = threadIdx.y;
  tile[j][i] = x[j * 32 + i];
  __syncthreads();  // the tile is loaded
  y[j * 32 + i] = tile[i][j];
}

int main(int argc, char**) {
  int *x, *y;
  cudaMallocManaged(&x, 1024 * sizeof(int));
  cudaMallocManaged(&y, 1024 * sizeof(int));
  for (int i = 0; i < 1024; ++i) x[i] = i;
  dim3 const threads(32, 32);
  if (argc > 1)  // fixed: a row of 33 begins in the next bank
    transpose<33><<<1, threads>>>(x, y);
  else
    transpose<32><<<1, threads>>>(x, y);
  cudaDeviceSynchronize();
  std::printf("y[1] is %d\n", y[1]);
}
