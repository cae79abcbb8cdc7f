/// Everyday CUDA C++, as a course writes it.
#include "launch.cuh"

#include <vector>

/// Device memory that holds a vector.
template <class T>
struct buffer {
  T* place;
  int count;

  explicit buffer(int n) : count(n) { cudaMalloc(&place, n * sizeof(T)); }
  ~buffer() { cudaFree(place); }
  void put(std::vector<T> const& v) {
    cudaMemcpy(place, v.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> get() {
    std::vector<T> v(count);
    cudaMemcpy(v.data(), place, count * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
  }
};

__global__ void histogram(const unsigned* data, int n, unsigned* global_bins) {
  __shared__ unsigned bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[data[i] % 64], 1);
  __syncthreads();
  if (t < 64) atomicAdd(&global_bins[t], bins[t]);
}

extern "C" bool histogram_is_right() {
  std::vector<unsigned> data(3000), want(64, 0);
  for (int i = 0; i < 3000; i++) ++want[(data[i] = i * 7 % 1000) % 64];
  buffer<unsigned> in(3000), out(64);
  in.put(data);
  cudaMemset(out.place, 0, 64 * sizeof(unsigned));
  LAUNCH(histogram, 4, 128)(in.place, 3000, out.place);
  return cudaDeviceSynchronize() == cudaSuccess && out.get() == want;
}

template <int pitch>
__global__ void transpose(const float* in, float* out, int w, int h) {
  __shared__ float tile[32][pitch];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" bool transpose_is_right(bool padded) {
  int const w = 64, h = 96;
  std::vector<float> a(w * h), want(w * h);
  for (int i = 0; i < w * h; i++) a[i] = want[i % w * h + i / w] = i;
  buffer<float> in(w * h), out(w * h);
  in.put(a);
  dim3 const grid(w / 32, h / 32), block(32, 8);
  if (padded)
    LAUNCH(transpose<33>, grid, block)(in.place, out.place, w, h);
  else
    LAUNCH(transpose<32>, grid, block)(in.place, out.place, w, h);
  return cudaGetLastError() == cudaSuccess && out.get() == want;
}

__device__ void tree(float* s, int t, int n) {
  for (int stride = n / 2; stride > 0; stride >>= 1) {
    if (t < stride) s[t] += s[t + stride];
    __syncthreads();
  }
}
__global__ void dynamic_tree(const float* in, float* out) {
  extern __shared__ float part[];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  tree(part, threadIdx.x, blockDim.x);
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

extern "C" bool dynamic_tree_is_right() {
  std::vector<float> a(512), want(4, 0.0F);
  for (int i = 0; i < 512; i++) want[i / 128] += a[i] = i % 7;
  buffer<float> in(512), sums(4);
  in.put(a);
  LAUNCH(dynamic_tree, 4, 128, 128 * sizeof(float))(in.place, sums.place);
  return cudaGetLastError() == cudaSuccess && sums.get() == want;
}

__global__ void warp_scan(const int* in, int* out) {
  int lane = threadIdx.x & 31;
  int x = in[threadIdx.x];
  for (int d = 1; d < 32; d <<= 1) {
    int y = __shfl_up_sync(0xffffffff, x, d);
    if (lane >= d) x += y;
  }
  out[threadIdx.x] = x;
}

extern "C" bool warp_scan_is_right() {
  buffer<int> in(64), out(64);
  in.put(std::vector<int>(64, 1));
  LAUNCH(warp_scan, 1, 64)(in.place, out.place);
  std::vector<int> const scanned = out.get();
  for (int i = 0; i < 64; i++)
    if (scanned[i] != i % 32 + 1) return false;
  return true;
}

/// Each block scans its 64 elements, as bytes and as integers.
extern "C" __global__ void scan_bytes(unsigned char const* in, int* out) {
  __shared__ unsigned char bytes[64];
  __shared__ int tile[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  bytes[t] = in[i];
  __syncthreads();
  tile[t] = bytes[63 - t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    int before = t >= d ? tile[t - d] : 0;
    __syncthreads();
    tile[t] += before;
  }
  out[i] = tile[t];
}

extern "C" void allocate_for_bytes(int n, unsigned char const* values, unsigned char** in,
                                   int** out) {
  cudaMalloc(in, n);
  cudaMalloc(out, n * sizeof(int));
  cudaMemcpy(*in, values, n, cudaMemcpyHostToDevice);
}
extern "C" void copy_back(int* to, int const* from, int n) {
  cudaMemcpy(to, from, n * sizeof(int), cudaMemcpyDeviceToHost);
}

struct pair_of {
  int first;
  float second;
};
__global__ void stores(pair_of* pairs, float4* vectors) {
  __shared__ short half[32];
  int t = threadIdx.x;
  half[t] = 100 + t;
  pairs[t].first = half[t] * 2;
  pairs[t].second = 0.5F;
  vectors[t] = make_float4(t, 1, 2, 3);
}
extern "C" void run_stores() {
  buffer<pair_of> pairs(32);
  buffer<float4> vectors(32);
  LAUNCH(stores, 1, 32)(pairs.place, vectors.place);
}

// A reduction whose accesses are counted by array and by line.

__global__ void shuffle_reduce(int const* in, int* out) {
  __shared__ int totals[4];
  unsigned const t = threadIdx.x;
  int sum = in[blockIdx.x * 128 + t];
  for (unsigned d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t % 32 == 0) totals[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = t < 4 ? totals[t] : 0;
  for (unsigned d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (t == 0) out[blockIdx.x] = sum;
}

/// Of 128 values.
extern "C" int run_shuffle_reduce(int const* values) {
  int *in, *out, result = 0;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, values, 128 * sizeof(int), cudaMemcpyHostToDevice);
  LAUNCH(shuffle_reduce, 1, 128)(in, out);
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}
