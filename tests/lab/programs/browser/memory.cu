// Arrays, structs, strings and files: in a browser as with the tool. tests/support/small_files.py
// makes a file of each program.

// FILE own_array.cu
// A thread's own array is read beyond its end.
#include <cstdio>

__global__ void window(int const* in, int* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  int near[5], weights[2][3] = {{1, 2, 1}, {0, 1, 0}};
  for (int k = 0; k < 5; ++k) near[k] = i + k < n ? in[i + k] : 0;
  int sum = 0;
  for (int k = 0; k <= 5; ++k) sum += near[k] * weights[k % 2][k % 3];
  out[i] = sum;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  window<<<2, 32>>>(in, out, 64);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

// FILE array_in_struct.cu
// A write beyond an array in a thread's own struct changes no other variable of the thread.
#include <cstdio>

struct counts {
  int n;
  int of[4];
};
struct both {
  counts mine;
  float more;
};
__global__ void counts_of(int const* in, int* out) {
  int const t = threadIdx.x;
  counts all = {};
  all.of[in[t]] = 1;
  out[t] = all.of[0] + all.n;
}
__global__ void nested(int const* in, int* out) {
  int const t = threadIdx.x;
  both all = {};
  all.mine.of[in[t] % 4] = t;
  out[t] += all.mine.of[in[t] % 4] + all.mine.n;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i % 7;
  counts_of<<<1, 64>>>(in, out);
  nested<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", out[i]);
}

// FILE shared_structs.cu
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

// FILE two_dynamic_arrays.cu
// Two dynamic shared arrays have one address, which the tool notes.
#include <cfloat>
#include <cstdio>

__global__ void halves(float* out) {
  extern __shared__ int counts[];
  extern __shared__ float sums[];
  int const t = threadIdx.x;
  counts[t] = t;
  sums[t] = t < 16 ? FLT_MAX : 0.5f;
  __syncthreads();
  out[t] = counts[31 - t] + sums[t];
}

int main() {
  float* out;
  cudaMallocManaged(&out, 32 * sizeof(float));
  halves<<<1, 32, 64 * sizeof(float)>>>(out);
  cudaDeviceSynchronize();
  std::printf("%g\n", out[31]);
}

// FILE data_tables.cu
// Tables of pointers, switches and strings lie beside the program's own variables.
#include <cstdio>

__device__ int small[4] = {1, 2, 3, 4};
__device__ char const* const names[3] = {"a", "bc", "def"};
__constant__ float weights[3] = {1, 2, 3};
int const primes[5] = {2, 3, 5, 7, 11};
__device__ int last[2];

__device__ char const* word(int i) {
  switch (i) {
    case 0:
      return "zero";
    case 1:
      return "one";
    case 2:
      return "two";
    case 3:
      return "three";
    case 4:
      return "four";
    default:
      return "many";
  }
}

__global__ void reads(int* out) {
  int const local[6] = {5, 4, 3, 2, 1, 0};
  static char const* const pair[2] = {"x", "y"};
  char const* const text = "a text of some length";
  int const t = threadIdx.x;
  out[t] = text[t] + local[t % 6] + primes[t % 5] + small[t % 4] + int(weights[t % 3]) +
           names[t % 3][0] + pair[t % 2][0] + word(t)[1];
  if (t < 2) last[t] = t;
}

__global__ void beyond(int* out, int i) {
  out[0] = small[0] + last[i];
}

int main() {
  int* out;
  cudaMallocManaged(&out, 16 * sizeof(int));
  reads<<<1, 16>>>(out);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += out[i];
  std::printf("%d\n", sum);
  beyond<<<1, 1>>>(out, 200);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

// FILE stacks.cu
// Threads need more stack and more: for an array of 20 KB, for recursion, and for one without an
// end.
#include <cstdio>

__global__ void large(int* out) {
  int all[5000];
  for (int i = 0; i < 5000; ++i) all[i] = i * i;
  __syncthreads();
  out[threadIdx.x] = all[threadIdx.x * 100];
}
__device__ __noinline__ int depth(int n, int last) {
  int const mine[4] = {n, n + 1, n + 2, n + 3};
  return n == last ? mine[n % 4] : depth(n + 1, last) + mine[(n + 1) % 4];
}
__global__ void deep(int last, int* out) {
  out[threadIdx.x] = depth(static_cast<int>(threadIdx.x), last);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 32 * sizeof(int));
  large<<<1, 32>>>(out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d\n", out[1], out[31]);
  deep<<<1, 32>>>(40, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  std::printf("%d %d\n", out[0], out[31]);
  deep<<<1, 32>>>(-1, out);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

// FILE unset_total.cu
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

// FILE overflowed_index.cu
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

// FILE written_file.cu
/// Second differences of 150 elements, written to a file whose opening nobody tests. The first and
/// the last block read an element that the array does not have.
#include <cstdio>

constexpr int n = 150, threads = 64;

__global__ void second_difference(float const* in, float* out) {
  __shared__ float tile[threads + 2];
  int const i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  if (i >= n) return;
  tile[t] = in[i];
  if (threadIdx.x == 0) {
    tile[0] = in[i - 1];
    tile[threads + 1] = in[i + threads];
  }
  __syncthreads();
  out[i] = tile[t - 1] - 2 * tile[t] + tile[t + 1];
}

int main() {
  float host[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i * i);
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  second_difference<<<(n + threads - 1) / threads, threads>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::FILE* const file = std::fopen("/dev/null", "w");
  for (int i = 1; i < n - 1; ++i) std::fprintf(file, "%d,%g\n", i, host[i]);
  std::FILE* const other = std::fopen("no such file", "r");
  std::printf("closed: %d, missing: %d\n", std::fclose(file), other == nullptr);
}
