// What the examples of the help pages call. tests/support/small_files.py makes a file of each.

// FILE kernels.cu
// The kernels that the examples of the help pages launch by name.
__global__ void scale(float const* in, float* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

template <class T, int threads>
__global__ void scan(T const* in, T* out, int n) {
  __shared__ T tile[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : T{};
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    T const left = t >= stride ? tile[t - stride] : T{};
    __syncthreads();
    tile[t] += left;
  }
  if (i < n) out[i] = tile[t];
}

__global__ void transpose(float const* in, float* out, int n) {
  int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}

// FILE mine.cu
// A scan of one block, to be compared with the textbook's.
__global__ void scan(int const* in, int* out, int n) {
  __shared__ int tile[1024];
  int const t = threadIdx.x;
  tile[t] = t < n ? in[t] : 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    int const left = t >= stride ? tile[t - stride] : 0;
    __syncthreads();
    tile[t] += left;
  }
  if (t < n) out[t] = tile[t];
}

// FILE program.cu
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
