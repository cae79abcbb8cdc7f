/// Kernels whose threads access one element without order, and right ones that look like them.
#include "launch.cuh"

#include <cuda/atomic>

#include <cstddef>

__global__ void clears_while_others_add(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) *out = count;
}
__global__ void clears_bins_of_the_grid(int* bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4) bins[i] = 0;
  atomicAdd(&bins[i % 4], 1);
}
__global__ void reads_what_another_block_adds(int* cells, int* out) {
  if (blockIdx.x == 0) atomicAdd(&cells[0], 1);
  if (blockIdx.x != 1) return;
  atomicAdd(&cells[0], 1);
  __syncthreads();
  out[threadIdx.x] = cells[0];
}
__global__ void halo_in_place(int* cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int next = cells[i + 1], mine = cells[i];
  __syncthreads();
  cells[i] = mine + next;
}
__global__ void three_blocks_read_before_one_writes(int* cells, int* out) {
  int t = threadIdx.x;
  out[t + 32 * blockIdx.x] = cells[t];
  __syncthreads();
  if (blockIdx.x == 2) cells[t] = 1;
}
__global__ void half_a_warp_has_left(int* out) {
  __shared__ int tile[32];
  unsigned t = threadIdx.x;
  tile[t] = t;
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  if (t >= 16) out[t] = tile[t - 16];
}
__global__ void halves_of_a_warp_meet_apart(int* out) {
  __shared__ int tile[32];
  unsigned t = threadIdx.x;
  tile[t] = t;
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  out[t] = tile[t ^ 16];
}
__global__ void loads_atomically_what_is_written(int* cells, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> cell(cells[0]);
  if (blockIdx.x == 0)
    cells[0] = 1;
  else
    *out = cell.load(cuda::memory_order_relaxed);
}
__global__ void writes_what_is_loaded_atomically(int* cells, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> cell(cells[0]);
  if (blockIdx.x == 0)
    *out = cell.load(cuda::memory_order_relaxed);
  else
    cells[0] = 1;
}
__global__ void publishes_by_a_failed_swap(int* cells, int* out) {
  if (blockIdx.x == 0) {
    cells[0] = 42;
    __threadfence();
    atomicCAS(&cells[1], 7, 1);
  } else {
    atomicOr(&cells[1], 0);
    __threadfence();
    *out = cells[0];
  }
}
__global__ void fence_before_the_barrier(int* cells, int* out) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) __threadfence();
    if (threadIdx.x == 1) cells[0] = 42;
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(&cells[1], 1);
  } else if (threadIdx.x == 0) {
    while (atomicAdd(&cells[1], 0) == 0) {
    }
    __threadfence();
    *out = cells[0];
  }
}
__global__ void adds_what_it_has_read(int* cells) {
  int const old = cells[0];
  atomicAdd(&cells[0], old == 0 ? 1 : 2);
}

// The programming guide's atomicAdd() of doubles.
__device__ double add_by_swaps(double* address, double val) {
  unsigned long long int* address_as_ull = (unsigned long long int*)address;
  unsigned long long int old = *address_as_ull, assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_ull, assumed,
                    __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void swaps_until_it_succeeds(double* sum) {
  add_by_swaps(sum, 1.0);
}
__global__ void swaps_in_shared_memory(double* sum) {
  __shared__ double part;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  add_by_swaps(&part, 1.0);
  __syncthreads();
  if (threadIdx.x == 0) sum[0] = part * gridDim.x;
}
// Three readers of one element, each of which hands over to the writer.
__global__ void readers_hand_over_one_by_one(int* cells, int* out) {
  __shared__ int x;
  unsigned t = threadIdx.x;
  if (t == 0) x = 5;
  __syncthreads();
  if (t == 1 || t == 2 || t == 33) {
    out[t] = x;
    __threadfence_block();
    atomicAdd(&cells[0], 1);
  }
  if (t == 0) {
    while (atomicAdd(&cells[0], 0) < 3) {
    }
    __threadfence_block();
    x = 6;
  }
}
__global__ void reads_again_after_the_others(int* out) {
  __shared__ int x;
  unsigned t = threadIdx.x;
  if (t == 0) x = 5;
  __syncwarp();
  out[t] = x;
  __syncwarp();
  if (t == 3) x = x + 1;
}

__global__ void last_block_without_fence(int* cells, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    cells[1 + blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicAdd(&cells[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = cells[1 + threadIdx.x];
}
__global__ void volatile_flag_without_fences(int* data, volatile int* ready, int* out) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    *ready = 1;
  } else {
    while (*ready == 0) {
    }
    *out = data[0];
  }
}
__global__ void all_write_the_same(int* out) {
  __shared__ bool found;
  found = true;
  __syncthreads();
  if (threadIdx.x == 0) *out = found;
}
__global__ void all_write_another(int* out) {
  __shared__ unsigned found;
  found = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) *out = found;
}

// The sum of half a warp: of the lanes that read lane 16 or more, none writes.
__global__ void halves_a_half_warp(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) {
    for (int offset = 8; offset > 0; offset /= 2) value += __shfl_down_sync(0xffff, value, offset);
    if (threadIdx.x == 0) *out = value;
  }
}
__global__ void reads_the_other_half(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) {
    value += __shfl_down_sync(0xffff, value, 8);
    value = __shfl_sync(0xffff, value, 15);
    if (threadIdx.x == 0) *out = value;
  }
}

namespace {

template <class T>
T* zeros(std::size_t n) {
  T* place;
  cudaMalloc(&place, n * sizeof(T));
  cudaMemset(place, 0, n * sizeof(T));
  return place;
}

}  // namespace

#define RUN(name, blocks, threads, ...)         \
  extern "C" void run_##name() {                \
    LAUNCH(name, blocks, threads)(__VA_ARGS__); \
  }
RUN(clears_while_others_add, 1, 64, zeros<int>(1))
RUN(clears_bins_of_the_grid, 2, 64, zeros<int>(4))
RUN(reads_what_another_block_adds, 2, 64, zeros<int>(1), zeros<int>(64))
RUN(halo_in_place, 3, 64, zeros<int>(193))
RUN(three_blocks_read_before_one_writes, 3, 32, zeros<int>(32), zeros<int>(96))
RUN(half_a_warp_has_left, 1, 32, zeros<int>(32))
RUN(halves_of_a_warp_meet_apart, 1, 32, zeros<int>(32))
RUN(loads_atomically_what_is_written, 2, 1, zeros<int>(1), zeros<int>(1))
RUN(writes_what_is_loaded_atomically, 2, 1, zeros<int>(1), zeros<int>(1))
RUN(publishes_by_a_failed_swap, 2, 1, zeros<int>(2), zeros<int>(1))
RUN(fence_before_the_barrier, 2, 32, zeros<int>(2), zeros<int>(1))
RUN(adds_what_it_has_read, 1, 64, zeros<int>(1))
RUN(swaps_until_it_succeeds, 2, 64, zeros<double>(1))
RUN(swaps_in_shared_memory, 1, 64, zeros<double>(1))
RUN(readers_hand_over_one_by_one, 1, 64, zeros<int>(1), zeros<int>(64))
RUN(reads_again_after_the_others, 1, 32, zeros<int>(32))
RUN(last_block_without_fence, 5, 64, zeros<int>(6), zeros<int>(5))
extern "C" void run_volatile_flag_without_fences() {
  int *data, *ready;
  cudaMalloc(&data, sizeof(int));
  cudaMalloc(&ready, sizeof(int));
  cudaMemset(ready, 0, sizeof(int));
  LAUNCH(volatile_flag_without_fences, 2, 1)(data, ready, zeros<int>(1));
}
RUN(halves_a_half_warp, 1, 32, zeros<int>(1))
RUN(reads_the_other_half, 1, 32, zeros<int>(1))
RUN(all_write_the_same, 1, 64, zeros<int>(1))
RUN(all_write_another, 1, 64, zeros<int>(1))
