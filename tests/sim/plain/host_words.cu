/// The host's calls of CUDA's runtime.
#include <cuda_runtime.h>

#include "launch.cuh"

#include "buffer.cuh"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

__constant__ float scale[2];
__device__ int table[4][8];

__global__ void add_one(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}
__global__ void fill_rows(char* place, size_t pitch, int width, int height) {
  int* row = reinterpret_cast<int*>(place + threadIdx.y * pitch);
  if (threadIdx.x < width && threadIdx.y < height)
    row[threadIdx.x] = 10 * threadIdx.y + threadIdx.x;
}

extern "C" bool memory_calls() {
  int *device, *managed, *pinned;
  bool right = cudaMallocAsync(&device, 64 * sizeof(int), 0) == cudaSuccess &&
               cudaMallocManaged(&managed, 64 * sizeof(int)) == cudaSuccess &&
               cudaMallocHost(&pinned, 64 * sizeof(int)) == cudaSuccess;
  // -1 has the bits of memory that nobody has written.
  for (int i = 0; i < 64; i++) managed[i] = pinned[i] = i - 1;
  cudaMemPrefetchAsync(managed, 64 * sizeof(int), cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0);
  LAUNCH(add_one, 1, 64)(managed, 64);
  right = right && cudaDeviceSynchronize() == cudaSuccess;
  for (int i = 0; i < 64; i++) right = right && managed[i] == i;
  cudaMemcpyAsync(device, pinned, 64 * sizeof(int), cudaMemcpyDefault, 0);
  LAUNCH(add_one, 1, 64)(device, 64);
  cudaMemcpyPeer(pinned, 0, device, 0, 64 * sizeof(int));
  for (int i = 0; i < 64; i++) right = right && pinned[i] == i;
  cudaPointerAttributes a;
  int on_host = 0;
  cudaPointerGetAttributes(&a, device);
  right = right && a.type == cudaMemoryTypeDevice;
  cudaPointerGetAttributes(&a, managed);
  right = right && a.type == cudaMemoryTypeManaged;
  cudaPointerGetAttributes(&a, &on_host);
  right = right && a.type == cudaMemoryTypeUnregistered;
  cudaFreeAsync(device, 0);
  cudaFree(managed);
  cudaFreeHost(pinned);

  char* rows;
  size_t pitch = 0;
  cudaMallocPitch(&rows, &pitch, 5 * sizeof(int), 3);
  cudaMemset2D(rows, pitch, 0, 5 * sizeof(int), 3);
  LAUNCH(fill_rows, 1, dim3(8, 4))(rows, pitch, 5, 3);
  int back[3][6] = {};
  cudaMemcpy2D(back, sizeof back[0], rows, pitch, 5 * sizeof(int), 3, cudaMemcpyDeviceToHost);
  for (int y = 0; y < 3; y++)
    for (int x = 0; x < 6; x++) right = right && back[y][x] == (x < 5 ? 10 * y + x : 0);
  right = right && cudaMemcpy2D(back, 8, rows, pitch, 20, 3, cudaMemcpyDeviceToHost) != cudaSuccess;
  cudaGetLastError();
  cudaFree(rows);
  size_t free_bytes, total;
  cudaMemGetInfo(&free_bytes, &total);
  return right && free_bytes <= total && cudaFree(nullptr) == cudaSuccess;
}

__global__ void use_symbols(float* out) {
  out[threadIdx.x] = scale[1] * table[1][threadIdx.x];
  table[2][threadIdx.x] = 7;
}
extern "C" bool symbols() {
  float const factors[2] = {0, 3};
  int row[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  cudaMemcpyToSymbol(scale, factors, sizeof factors);
  cudaMemcpyToSymbol(table, row, sizeof row, 8 * sizeof(int));
  buffer<float> out(8);
  LAUNCH(use_symbols, 1, 8)(out.place);
  int back = 0;
  cudaMemcpyFromSymbol(&back, table, sizeof back, 16 * sizeof(int));
  void* place = nullptr;
  size_t bytes = 0;
  cudaGetSymbolAddress(&place, table);
  cudaGetSymbolSize(&bytes, table);
  int first = -1;
  cudaMemcpy(&first, static_cast<int*>(place) + 9, sizeof first, cudaMemcpyDeviceToHost);
  return holds(out, [](int i) { return 3.0f * i; }) && back == 7 && bytes == 128 && first == 1;
}

extern "C" bool streams_and_events() {
  cudaStream_t stream;
  cudaEvent_t start, stop, without_time;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventCreateWithFlags(&without_time, cudaEventDisableTiming);
  buffer<int> p(std::vector<int>(100, 1));
  float ms = -1;
  bool right = cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle;
  cudaGetLastError();
  cudaEventRecord(start, stream);
  LAUNCH(add_one, 1, 128, 0, stream)(p.place, 100);
  cudaEventRecord(stop, stream);
  cudaStreamWaitEvent(stream, stop);
  right = right && cudaEventSynchronize(stop) == cudaSuccess && cudaEventQuery(stop) == cudaSuccess;
  right = right && cudaEventElapsedTime(&ms, start, stop) == cudaSuccess && ms > 0;
  cudaEventRecord(without_time, stream);
  right = right && cudaEventElapsedTime(&ms, start, without_time) != cudaSuccess;
  cudaGetLastError();
  right = right && cudaStreamSynchronize(stream) == cudaSuccess &&
          cudaStreamQuery(stream) == cudaSuccess;
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaEventDestroy(without_time);
  return right && cudaStreamDestroy(stream) == cudaSuccess && holds(p, [](int) { return 2; });
}

extern "C" bool device_queries() {
  int count = 0, device = -1, value = 0;
  cudaGetDeviceCount(&count);
  cudaSetDevice(0);
  cudaGetDevice(&device);
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  bool right = count >= 1 && device == 0 && p.warpSize == 32 && p.maxThreadsPerBlock == 1024;
  right = right && p.sharedMemPerBlock == 49152 && p.maxGridSize[1] == 65535;
  cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0);
  right = right && value == p.multiProcessorCount;
  cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  right = right && value == static_cast<int>(p.sharedMemPerBlockOptin);
  right = right && cudaSetDevice(99) == cudaErrorInvalidDevice &&
          cudaGetLastError() == cudaErrorInvalidDevice;
  cudaDriverGetVersion(&value);
  right = right && value >= 12000;
  return right && cudaRuntimeGetVersion(&value) == cudaSuccess && value == CUDART_VERSION;
}

template <class T>
__global__ void needs_memory(T* out) {
  __shared__ T fixed[1024];
  extern __shared__ char room[];
  fixed[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) room[60 * 1024] = 1;
  __syncthreads();
  out[threadIdx.x] = fixed[63 - threadIdx.x];
}
extern "C" bool kernel_attributes() {
  cudaFuncAttributes a;
  bool right = cudaFuncGetAttributes(&a, needs_memory<int>) == cudaSuccess;
  right = right && a.sharedSizeBytes == 4096 && a.maxThreadsPerBlock == 1024;
  int blocks = 0, least_grid = 0, threads = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, needs_memory<int>, 256, 64 * 1024);
  right = right && blocks == 3;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, needs_memory<int>, 1024, 0);
  right = right && blocks == 2;
  cudaOccupancyMaxPotentialBlockSize(&least_grid, &threads, add_one, 0, 0);
  right = right && threads % 32 == 0 && least_grid > 0;
  buffer<int> out(64);
  right =
      right && cudaFuncSetAttribute(needs_memory<int>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    64 * 1024) == cudaSuccess;
  LAUNCH(needs_memory<int>, 1, 64, 64 * 1024)(out.place);
  return right && holds(out, [](int i) { return 63 - i; });
}

extern "C" bool other_launches() {
  buffer<int> p(std::vector<int>(40, 0));
  int n = 40;
  void* arguments[] = {(void*)&p.place, &n};
  bool right = cudaLaunchKernel((void*)add_one, dim3(2), dim3(32), arguments, 0, 0) == cudaSuccess;
  right = right && cudaLaunchKernel(add_one, 2, 32, arguments) == cudaSuccess;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(2);
  config.blockDim = dim3(32);
  right = right && cudaLaunchKernelEx(&config, add_one, p.place, 30) == cudaSuccess;
  void (*chosen)(int*, int) = add_one;
  LAUNCH(chosen, 2, 32)(p.place, 20);
  return right && holds(p, [](int i) { return i < 20 ? 4 : i < 30 ? 3 : 2; });
}

// More parameters than there are registers for them.
__global__ void takes_twenty(double* out, int a, float b, short c, double d, long e, unsigned f,
                             char g, double h, float i, double j, double k, double l, double m,
                             double n, float o, int p, bool q, double r) {
  double const all[] = {1.0 * a, b, 1.0 * c, d, 1.0 * e, 1.0 * f, 1.0 * g, h, i,
                        j,       k, l,       m, n,       o,       1.0 * p, q, r};
  out[threadIdx.x] = all[threadIdx.x];
}
extern "C" bool launches_by_address() {
  buffer<double> out(18);
  int a = -1, p = -16;
  float b = 2, i = 9, o = 15;
  short c = -3;
  double d = 4, h = 8, j = 10, k = 11, l = 12, m = 13, n = 14, r = 18;
  long e = -5;
  unsigned f = 4000000000u;
  char g = 7;
  bool q = true;
  void* arguments[] = {
      (void*)&out.place, &a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p, &q, &r};
  cudaLaunchKernel((void*)takes_twenty, dim3(1), dim3(18), arguments, 0, 0);
  double const expected[] = {-1, 2, -3, 4, -5, 4e9, 7, 8, 9, 10, 11, 12, 13, 14, 15, -16, 1, 18};
  return holds(out, [&](int at) { return expected[at]; });
}

extern "C" bool error_names() {
  return std::strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                     "cudaErrorInvalidConfiguration") == 0 &&
         std::strcmp(cudaGetErrorString(cudaErrorInvalidConfiguration),
                     "invalid configuration argument") == 0 &&
         std::strcmp(cudaGetErrorString(cudaSuccess), "no error") == 0 &&
         std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)),
                     "unrecognized error code") == 0;
}

template <class T>
__global__ void takes_null(T* out, const int* maybe, double x) {
  out[threadIdx.x] = maybe == nullptr ? x : -1;
}
__global__ void takes_null_plain(double* out, const int* maybe, double x) {
  out[threadIdx.x] = maybe == nullptr ? 2 * x : -1;
}
extern "C" bool launch_arguments() {
  buffer<double> a(8), b(8);
  LAUNCH(takes_null<double>, 1, 8)(a.place, NULL, 3);
  LAUNCH(takes_null_plain, 1, 8)(b.place, 0, 3);
  return holds(a, [](int) { return 3.0; }) && holds(b, [](int) { return 6.0; });
}

/// Atomic operations of host code, which the emulator executes.
template <class T>
bool host_atomics_of() {
  std::atomic<T> x(5);
  T seen = 5;
  bool right = x.load() == 5;
  x.store(6);
  right = right && x.exchange(7) == 6 && x.fetch_add(2) == 7 && x.fetch_sub(1) == 9 &&
          x.fetch_and(12) == 8 && x.fetch_or(3) == 8 && x.fetch_xor(1) == 11;
  right = right && !x.compare_exchange_strong(seen, 1) && seen == 10;
  right = right && x.compare_exchange_strong(seen, 1) && x.load() == 1;
  seen = 1;
  while (!x.compare_exchange_weak(seen, 2)) seen = 1;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return right && x.load() == 2;
}
extern "C" bool host_atomics() {
  return host_atomics_of<std::uint8_t>() && host_atomics_of<std::uint16_t>() &&
         host_atomics_of<std::uint32_t>() && host_atomics_of<std::uint64_t>();
}
