// How often a race occurs depends on turns, which end after a number of basic blocks.
#include <cstdio>

__global__ void tiles(int const* in, int* out, int count) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  int sum = 0;
  for (int b = 0; b < count; ++b) {
    tile[t] = in[t + b * 64];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j];
  }
  out[t] = sum;
}
__global__ void counted(int* out) {
  int const t = threadIdx.x;
  int i = 0;
  while (true) {
    ++i;
    if (i % 3 == 0) continue;
    if (i > 900) break;
    if (i % 2 == 0) {
      if (i % 8 == 2) *out += t;
    } else if (t > 5 && i > 40) {
      *out = i > 300 ? t : *out + 1;
    }
  }
  do {
    out[1] = i;
    i -= 100;
  } while (i > 0);
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 256 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 256 * sizeof(int));
  cudaMemset(out, 0, 64 * sizeof(int));
  tiles<<<1, 64>>>(in, out, 3);
  counted<<<2, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
