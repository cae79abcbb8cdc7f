// Structs in shared memory, arrays at namespace scope, and dynamic ones of a template.
#include <cstdio>

struct total {
  int count, sum;
};
__shared__ total totals[2];
extern __shared__ double dynamic[];
namespace other {
extern __shared__ int words[];
}
template <class T>
__device__ T* dynamic_of() {
  extern __shared__ T mine[];
  return mine;
}

__global__ void sums(int const* in, int* out) {
  __shared__ total all;
  int const t = threadIdx.x;
  if (t == 0) {
    all.count = 0;
    all.sum = 0;
  }
  if (t < 2) totals[t].sum = 0;
  if (t < 2) totals[t].count = 0;
  __syncthreads();
  atomicAdd(&totals[t % 2].sum, in[t]);
  atomicAdd(&totals[t % 2].count, 1);
  dynamic[t] = in[t];
  __syncthreads();
  if (t == 0) {
    for (total const& one : totals) {
      all.sum += one.sum;
      all.count += one.count;
    }
  }
  __syncthreads();
  float* const f = dynamic_of<float>() + 512;
  f[t] = all.sum;
  other::words[t + 600] = all.count;
  out[t] = static_cast<int>(dynamic[63 - t]) + static_cast<int>(f[t]) + other::words[t + 600];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i * i;
  sums<<<1, 64, 4096>>>(in, out);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", out[0], out[63]);
}
