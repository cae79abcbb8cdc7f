// An int index overflows, and leads far from its buffer.
#include <cstdio>

struct cell {
  int type;
  float value, next;
};

__global__ void sets(cell* grid, int width) {
  int const row = threadIdx.x * 100000;
  grid[row * width + 30000].value = row;
}
__global__ void strides(int const* in, int* out, int far) {
  out[threadIdx.x] = in[threadIdx.x * far];
}
__global__ void wide(int const* in, int* out) {
  long long const i = threadIdx.x * 3000000000ll;
  out[threadIdx.x] = in[i];
}
__global__ void in_shared(int* out, int far) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * far];
}
__global__ void right(int* x, int width) {
  long long const t = threadIdx.x;
  x[t * width] = t;
  int* const row = x + width;
  row[-1] = 4;
  *(row + t) = 3;
}

int main() {
  int *a, *b, *large;
  cell* grid;
  cudaMalloc(&a, 1000);
  cudaMalloc(&b, 1000);
  cudaMalloc(&grid, 1200);
  cudaMalloc(&large, 4000000);
  cudaMemset(a, 0, 1000);
  right<<<1, 8>>>(large, 100000);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  sets<<<1, 8>>>(grid, 40000);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  for (int const far : {10000000, 90000000}) {
    strides<<<1, 8>>>(a, b, far);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  }
  wide<<<1, 8>>>(a, b);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  in_shared<<<1, 8>>>(b, 1000000);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
