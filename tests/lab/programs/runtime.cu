// The heap, calls of the host, and words that are old, refused or mistaken for others.
// tests/support/small_files.py makes a file of each program.

// FILE heap.cu
// The heap of the device, and six mistakes with it.
#include <cstdio>
#include <new>
struct node {
  int value;
  node* next;
  __device__ node(int v, node* n) : value(v), next(n) {}
};
__device__ node* head;
__global__ void build() {
  node* list = nullptr;
  for (int i = 0; i < 5; ++i) list = new node(i, list);
  head = list;
}
__global__ void sum(int* out) {
  int s = 0;
  for (node* n = head; n != nullptr;) {
    s += n->value;
    node* next = n->next;
    delete n;
    n = next;
  }
  *out = s;
}
__global__ void shared_piece(int* out) {
  __shared__ int* piece;
  if (threadIdx.x == 0) piece = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  piece[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = piece[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(piece);
}
__global__ void too_much(int* out) {
  void* p = malloc(9u << 20);
  void* q = malloc(4u << 20);
  void* r = malloc(5u << 20);
  int* n = new int[3u << 20];
  *out = (p == nullptr) + 2 * (q == nullptr) + 4 * (r == nullptr) + 8 * (n == nullptr);
  free(q);
  free(r);
}
__global__ void mistake(int which, int* out) {
  int* p = static_cast<int*>(malloc(40));
  if (which == 1) *out = p[3];
  if (which == 2) p[10] = 1;
  if (which == 3) {
    free(p);
    *out = p[0];
  }
  if (which == 4) {
    delete p;
    delete p;
  }
  if (which == 5) free(out);
  if (which == 6) p[-1] = 1;
}
int main(int argc, char** argv) {
  int* out;
  cudaMallocManaged(&out, 64 * 4);
  if (argc > 1) {
    mistake<<<1, 1>>>(argc - 1 ? argv[1][0] - '0' : 0, out);
    cudaDeviceSynchronize();
    return 0;
  }
  build<<<1, 1>>>();
  sum<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", *out);
  shared_piece<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d\n", out[0], out[63]);
  too_much<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", *out);
  size_t limit;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  printf("%zu\n", limit);
  int* mine = new int[100];
  mine[3] = 1;
  delete[] mine;
  free(malloc(10));
}

// FILE host_calls.cu
// Calls of the host that a GPU refuses, one for each argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  int host[10] = {}, *device = nullptr, *managed = nullptr;
  cudaMalloc(&device, 10 * sizeof(int));
  cudaMallocManaged(&managed, 10 * sizeof(int));
  cudaError_t error = cudaSuccess;
  switch (argc > 1 ? std::atoi(argv[1]) : 0) {
    case 0:  // all is well
      std::memset(managed, 0, 10 * sizeof(int));
      error = cudaMemcpy(device, host, 10 * sizeof(int), cudaMemcpyHostToDevice);
      if (error == cudaSuccess)
        error = cudaMemcpy(host, managed, 10 * sizeof(int), cudaMemcpyDeviceToHost);
      if (error == cudaSuccess)
        error = cudaMemcpy(host, device, 10 * sizeof(int), cudaMemcpyDefault);
      break;
    case 1:
      cudaFree(device);
      error = cudaFree(device);
      break;
    case 2:
      error = cudaMemcpy(device, host, 10 * sizeof(int), cudaMemcpyDeviceToHost);
      break;
    case 3:
      error = cudaMemcpy(device, host, 11 * sizeof(int), cudaMemcpyHostToDevice);
      break;
    case 4:
      error = cudaMemset(host, 0, 10 * sizeof(int));
      break;
    case 5:
      error = cudaFree(device + 1);
      break;
    case 6:
      cudaFree(device);
      error = cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost);
      break;
  }
  std::printf("%d\n", static_cast<int>(error));
}

// FILE unfinished.cu
// The host uses managed and pinned memory: a capital letter waits for the work that uses it first.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
__global__ void count(int* x) {
  atomicAdd(x, 1);
}

int main(int, char** words) {
  char const which = words[1][0];
  int *managed, *pinned, *device;
  cudaMallocManaged(&managed, 128);
  cudaMallocHost(&pinned, 128);
  cudaMalloc(&device, 128);
  for (int i = 0; i < 32; ++i) managed[i] = pinned[i] = 0;
  std::vector<int> pageable(32);
  switch (which | 32) {
    case 'l':
      fill<<<1, 32>>>(managed);
      if (which == 'L') cudaDeviceSynchronize();
      printf("%d\n", managed[3]);
      break;
    case 'a':
      count<<<4, 32>>>(managed);
      if (which == 'A') cudaStreamSynchronize(0);
      printf("%d\n", managed[0]);
      break;
    case 'c':
      fill<<<1, 32>>>(device);
      cudaMemcpyAsync(pinned, device, 128, cudaMemcpyDeviceToHost);
      if (which == 'C') cudaStreamSynchronize(0);
      printf("%d\n", pinned[3]);
      break;
    case 'u':
      cudaMemcpyAsync(device, pinned, 128, cudaMemcpyHostToDevice);
      if (which == 'U') cudaDeviceSynchronize();
      pinned[3] = 7;
      break;
    case 'p':  // such a copy returns when it is complete
      fill<<<1, 32>>>(device);
      cudaMemcpyAsync(pageable.data(), device, 128, cudaMemcpyDeviceToHost);
      printf("%d\n", pageable[3]);
      break;
  }
}

// FILE capture.cu
// Calls that a capture does not allow; the argument chooses one.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void increment(int* x) {
  x[threadIdx.x] += 1;
}

int main(int, char** words) {
  int const which = std::atoi(words[1]);
  int *x, host[32];
  cudaMalloc(&x, sizeof host);
  cudaMemset(x, 0, sizeof host);
  cudaStream_t stream;
  cudaEvent_t event;
  cudaGraph_t graph;
  if (which == 10)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  else
    cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaStreamBeginCapture(stream,
                         which == 6 ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal);
  increment<<<1, 32, 0, stream>>>(x);
  cudaEventRecord(event, stream);
  cudaError_t inside = cudaSuccess;
  if (which == 1) inside = cudaStreamSynchronize(stream);
  if (which == 2) inside = cudaStreamQuery(stream);
  if (which == 3) inside = cudaEventSynchronize(event);
  if (which == 4 || which == 6) inside = cudaDeviceSynchronize();
  if (which == 5) inside = cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  if (which == 7 || which == 10) increment<<<1, 32>>>(x);
  if (which == 7 || which == 10) inside = cudaGetLastError();
  if (which == 8) inside = cudaMemset(x, 0, sizeof host);
  if (which == 9) inside = cudaMemsetAsync(x, 0, sizeof host);
  increment<<<1, 32, 0, stream>>>(x);
  cudaError_t const end = cudaStreamEndCapture(stream, &graph);
  std::printf("%s / %s\n", cudaGetErrorName(inside), cudaGetErrorName(end));
  cudaGetLastError();
  std::printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
}

// FILE unset_sum.cu
// A sum that begins with what its register held, and counts that begin with what the stack held.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void sums(float const* x, float* y, int n) {
  int const t = threadIdx.x;
  float sum;
  int counts[4];
  for (int i = t; i < n; i += 32) sum += x[i];
  for (int i = t; i < n; i += 32) counts[i & 3]++;
  y[t] = sum + counts[t & 3];
}

int main() {
  float *x, *y, first;
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 128);
  cudaMemset(x, 0, 256);
  sums<<<1, 32>>>(x, y, 64);
  cudaMemcpy(&first, y, sizeof first, cudaMemcpyDeviceToHost);
  printf("%g\n", first);
}

// FILE deep_product.cu
// A product whose threads read more elements between two barriers than a log has room for.
#include <cstdio>

constexpr int m = 256, depth = 1024, tile = 64, side = 16, per = 4;

__global__ void product(float const* a, float const* b, float* c) {
  __shared__ float as[tile][side + 1], bs[side][tile + 1];
  int const tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * tile, y = blockIdx.y * tile;
  float sum[per][per] = {};
  for (int k0 = 0; k0 < depth; k0 += side) {
    for (int i = 0; i < per; ++i) as[tx + i * side][ty] = a[(k0 + ty) * m + x + tx + i * side];
    for (int i = 0; i < per; ++i) bs[tx][ty + i * side] = b[(y + ty + i * side) * depth + k0 + tx];
    __syncthreads();
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < per; ++j)
        for (int i = 0; i < per; ++i) sum[i][j] += as[tx + i * side][k] * bs[k][ty + j * side];
    __syncthreads();
  }
  for (int j = 0; j < per; ++j)
    for (int i = 0; i < per; ++i) c[(y + ty + j * side) * m + x + tx + i * side] = sum[i][j];
}

int main() {
  float *a, *b, *c;
  cudaMallocManaged(&a, m * depth * sizeof(float));
  cudaMallocManaged(&b, m * depth * sizeof(float));
  cudaMallocManaged(&c, m * m * sizeof(float));
  for (int i = 0; i < m * depth; ++i) a[i] = b[i] = 1;
  product<<<dim3(m / tile, m / tile), dim3(side, side)>>>(a, b, c);
  cudaDeviceSynchronize();
  for (int i = 0; i < m * m; ++i)
    if (c[i] != depth) return 1;
  std::printf("right\n");
}

// FILE names.cu
// Arrays whose names are those of types in mangled names.
#include <cstdio>

__device__ int i[4];
__global__ void late_write(int k, int* out) {
  extern __shared__ int s[];
  __shared__ float f[32];
  if (threadIdx.x < 16) f[threadIdx.x] = 1;
  out[threadIdx.x] = 0;
  if (k == 0) out[threadIdx.x] = s[threadIdx.x];
  if (k == 1) out[threadIdx.x] = f[threadIdx.x];
  if (k == 2) i[threadIdx.x] = 1;
}
int main(int argc, char** argv) {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  late_write<<<1, 32, 128>>>(argv[1][0] - '0', out);
  cudaDeviceSynchronize();
}

// FILE old_words.cu
// Words of old programs, and of libcu++'s integer arithmetic.
#include <cstdio>
#include <cuda/cmath>

__device__ unsigned long long __globaltimer() {
  return 7;
}
__global__ void time_of(unsigned long long* out) {
  *out = __globaltimer();
}
__global__ void round(int n, int* out) {
  out[0] = cuda::ceil_div(n, 32);
  out[1] = cuda::round_up(n, 32);
  out[2] = cuda::round_down(n, 32);
  out[3] = cuda::ilog2(n);
  out[4] = cuda::next_power_of_two(n);
}
int main() {
  cudaSetDeviceFlags(cudaDeviceBlockingSync | cudaDeviceMapHost);
  unsigned long long* time;
  int* out;
  cudaMallocManaged(&time, sizeof *time);
  cudaMallocManaged(&out, 5 * sizeof(int));
  time_of<<<1, 1>>>(time);
  round<<<cuda::ceil_div(1u, 256u), 1>>>(100, out);
  cudaThreadSynchronize();
  std::printf("%llu %d %d %d %d %d\n", *time, out[0], out[1], out[2], out[3], out[4]);
  cudaThreadExit();
}

// FILE refused.cu
// Words that the emulator refuses by name: each is chosen by a macro.
#include <cstdio>
#ifdef HELPER
#include <helper_timer.h>
#endif
#include <cuda_runtime.h>

__global__ void kernel(int* x) {
#ifdef SHFL
  x[0] = __shfl(x[threadIdx.x], 0);
#elif defined(SHFL_DOWN)
  x[0] = __shfl_down(x[threadIdx.x], 1);
#elif defined(BALLOT)
  x[0] = __ballot(x[threadIdx.x] > 0);
#elif defined(ANY)
  x[0] = __any(x[threadIdx.x] > 0);
#endif
}

int main() {
#ifdef RESOURCE
  cudaResourceDesc about = {};
#elif defined(FORMAT)
  cudaChannelFormatKind kind = cudaChannelFormatKindFloat;
#elif defined(CHANNEL)
  auto about = cudaCreateChannelDesc<float>();
#endif
  int n = 1 << 4, threads = 32;
  std::printf("%d %d\n", n, threads);
}
