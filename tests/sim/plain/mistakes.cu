/// One mistake in each kernel, in the line with the comment WRONG; and right kernels like them.
#include "launch.cuh"

#include <algorithm>
#include <vector>

namespace {

/// A buffer of 128 elements that the host has written.
template <class T>
struct filled {
  T* place;
  explicit filled(char const*) {
    cudaMalloc(&place, 128 * sizeof(T));
    cudaMemset(place, 0, 128 * sizeof(T));
  }
  operator T*() const { return place; }
};

}  // namespace

__global__ void reads_unwritten(float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  if (t != 5) tile[t] = t;
  __syncthreads();
  out[t] = tile[63 - t];  // WRONG reads_unwritten
}
__global__ void increments_together(int* out) {
  __shared__ int bins[8];
  int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncthreads();
  bins[t % 8]++;  // WRONG increments_together
  __syncthreads();
  if (t < 8) out[t] = bins[t];
}
__global__ void lacks_a_barrier(float* out) {
  __shared__ float tile[64];
  int t = threadIdx.x;
  tile[t] = t;
  out[t] = tile[63 - t];  // WRONG lacks_a_barrier
}
__global__ void reads_after(float* out) {
  __shared__ float first[64];
  __shared__ float second[64];
  int t = threadIdx.x;
  first[t] = second[t] = t;
  __syncthreads();
  out[t] = first[t + 1] + second[t];  // WRONG reads_after
}
__global__ void writes_before(float* out) {
  __shared__ float first[64];
  __shared__ float second[64];
  int t = threadIdx.x;
  first[t] = t;
  second[t - 1] = t;  // WRONG writes_before
  __syncthreads();
  out[t] = first[t] + second[t];
}
__global__ void reads_after_dynamic(float* out) {
  extern __shared__ float part[];
  int t = threadIdx.x;
  part[t] = t;
  __syncthreads();
  out[t] = part[t + 1];  // WRONG reads_after_dynamic
}
__global__ void writes_after_buffer(float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = i;  // WRONG writes_after_buffer
}
__global__ void reads_before_unsigned(float const* in, float* out) {
  unsigned t = threadIdx.x;
  out[t] = in[t - 1];  // WRONG reads_before_unsigned
}
__global__ void writes_before_unsigned(float* out) {
  __shared__ float tile[64];
  unsigned t = threadIdx.x;
  tile[t - 2] = 0;  // WRONG writes_before_unsigned
  out[t] = tile[t];
}
__global__ void reads_what_the_host_only_read(int const* in, int* out) {
  out[0] = in[0];  // WRONG reads_what_the_host_only_read
}
__global__ void reads_misaligned(float const* in, float4* out) {
  out[threadIdx.x] = *(float4 const*)(in + 1);  // WRONG reads_misaligned
}
__global__ void reads_host_memory(float const* host, float* out) {
  out[threadIdx.x] = host[threadIdx.x];  // WRONG reads_host_memory
}
__global__ void reads_null(float const* null, float* out) {
  out[threadIdx.x] = null[threadIdx.x];  // WRONG reads_null
}
__global__ void reads_freed(float const* freed, float* out) {
  out[threadIdx.x] = freed[threadIdx.x];  // WRONG reads_freed
}
__global__ void barrier_in_branch(float* out) {
  int t = threadIdx.x;
  if (t < 32)
    __syncthreads();  // WRONG barrier_in_branch
  else
    out[t] = t;
  __syncthreads();
}
__global__ void barriers_on_one_line(float* out) {
  int t = threadIdx.x;
  // clang-format off
  if (t < 32) __syncthreads(); else __syncthreads();  // WRONG barriers_on_one_line
  // clang-format on
  out[t] = t;
}
/// Copies of one barrier, which the compiler unrolls or not, are no different ones.
__global__ void one_barrier_many_times(float* out) {
  int t = threadIdx.x;
  for (int i = 0; i < 3; ++i) {
    out[t] = i;
    // clang-format off
    if (t < 64) __syncthreads(); if (i == 1) __syncthreads();
    // clang-format on
  }
}
__device__ void meet() {
  __syncthreads();  // WRONG barriers_of_a_function
}
__global__ void barriers_of_a_function(float* out) {
  int t = threadIdx.x;
  if (t < 32) {
    meet();
    out[t] = 1;
  } else {
    meet();
  }
}
__global__ void blocks_write_the_same(int* out) {
  out[threadIdx.x] = blockIdx.x;  // WRONG blocks_write_the_same
}
__global__ void lane_missing(int* out) {
  int x = threadIdx.x;
  if (x < 16) x = __shfl_down_sync(0xffffffff, x, 1);  // WRONG lane_missing
  out[threadIdx.x] = x;
}
__device__ int counters[4];
__global__ void after_variable(int* out) {
  out[threadIdx.x] = counters[threadIdx.x + 1];  // WRONG after_variable
}
__device__ volatile float* as_volatile(float* s) {
  return s;
}
__global__ void relies_on_lockstep(float* out) {
  __shared__ float sums[64];
  int t = threadIdx.x;
  sums[t] = 1;
  __syncthreads();
  volatile float* s = as_volatile(sums);
  if (t < 32) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];  // WRONG relies_on_lockstep
  }
  out[t] = sums[0];
}

#define RUN(name, blocks, threads, ...)         \
  extern "C" void run_##name() {                \
    LAUNCH(name, blocks, threads)(__VA_ARGS__); \
  }
RUN(reads_unwritten, 1, 64, filled<float>("out"))
RUN(increments_together, 1, 64, filled<int>("out"))
RUN(lacks_a_barrier, 1, 64, filled<float>("out"))
RUN(barriers_of_a_function, 1, 64, filled<float>("out"))
RUN(reads_before_unsigned, 1, 64, filled<float>("in"), filled<float>("out"))
RUN(writes_before_unsigned, 1, 64, filled<float>("out"))
RUN(reads_after, 1, 64, filled<float>("out"))
RUN(writes_before, 1, 64, filled<float>("out"))
RUN(writes_after_buffer, 3, 64, filled<float>("out"), 128)
RUN(reads_misaligned, 1, 1, filled<float>("in"), filled<float4>("out"))
RUN(reads_null, 1, 32, nullptr, filled<float>("out"))
RUN(barriers_on_one_line, 1, 64, filled<float>("out"))
RUN(one_barrier_many_times, 1, 64, filled<float>("out"))
RUN(barrier_in_branch, 1, 64, filled<float>("out"))
RUN(blocks_write_the_same, 2, 32, filled<int>("out"))
RUN(lane_missing, 1, 32, filled<int>("out"))
RUN(after_variable, 1, 4, filled<int>("out"))
RUN(relies_on_lockstep, 1, 64, filled<float>("out"))
extern "C" void run_reads_after_dynamic() {
  LAUNCH(reads_after_dynamic, 1, 64, 64 * sizeof(float))(filled<float>("out"));
}
extern "C" void run_reads_host_memory() {
  std::vector<float> const on_heap(32);
  LAUNCH(reads_host_memory, 1, 32)(on_heap.data(), filled<float>("out"));
}
extern "C" void run_reads_freed() {
  filled<float> const d_old("in");
  cudaFree(d_old.place);
  LAUNCH(reads_freed, 1, 32)(d_old, filled<float>("out"));
}
extern "C" void run_host_reads_device() {
  filled<float> const out("out");
  volatile float x = out[3];  // WRONG host_reads_device
}
extern "C" void run_reads_what_the_host_only_read() {
  int* place;
  cudaMallocManaged(&place, sizeof *place);
  volatile int x = place[0];
  (void)x;
  LAUNCH(reads_what_the_host_only_read, 1, 1)(place, filled<int>("out"));
  cudaFree(place);
}
