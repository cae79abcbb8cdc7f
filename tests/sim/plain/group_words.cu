/// Groups of threads, objects that synchronize them, asynchronous copies, PTX.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>

#include "launch.cuh"

#include "buffer.cuh"

#include <cstdint>
#include <vector>

namespace cg = cooperative_groups;

__global__ void prefix_of_blocks(int* sums, int* out, int bias) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) sums[blockIdx.x] = blockIdx.x + 1;
  grid.sync();
  int before = bias;
  for (unsigned i = 0; i < blockIdx.x; i++) before += sums[i];
  grid.sync();
  if (threadIdx.x == 0) sums[blockIdx.x] = before;
  grid.sync();
  out[grid.thread_rank()] = sums[gridDim.x - 1 - blockIdx.x];
}
extern "C" bool grid_barrier() {
  int const blocks = 40;
  buffer<int> sums(blocks), out(blocks * 32);
  int bias = 7;
  void* arguments[] = {(void*)&sums.place, (void*)&out.place, &bias};
  if (cudaLaunchCooperativeKernel((void*)prefix_of_blocks, blocks, 32, arguments, 0, 0) !=
      cudaSuccess)
    return false;
  return holds(out, [](int i) {
    int const b = blocks - 1 - i / 32;
    return 7 + b * (b + 1) / 2;
  });
}

__global__ void use_groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  auto warp = cg::tiled_partition<32>(block);
  int t = block.thread_rank(), s = 0;
  s += tile.shfl(t, 3);                     // t / 8 * 8 + 3
  s += 1000 * tile.any(t % 8 == 5);         // 1000
  s += 2000 * warp.all(t % 32 == 5);        // 0
  s += 10000 * __popc(warp.ballot(t % 2));  // 160000
  s += 1000000 * tile.meta_group_rank();
  s += cg::thread_group(tile).size();  // 8
  out[t] = s;
}
extern "C" bool groups_of_lanes() {
  buffer<int> out(64);
  LAUNCH(use_groups, 1, 64)(out.place);
  return holds(out, [](int t) { return t / 8 * 8 + 3 + 1000 + 160000 + 1000000 * (t / 8) + 8; });
}

__global__ void use_partitions(int* out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int t = threadIdx.x, s = 0;
  auto labeled = cg::labeled_partition(warp, t % 3);
  s += labeled.size() + 100 * labeled.thread_rank();
  auto half = cg::binary_partition(warp, t % 4 == 0);
  s += 10000 * half.size();
  if (t % 5 == 0) {
    auto together = cg::coalesced_threads();
    s += 1000000 * together.size() + 10000000 * together.shfl(t, 1);
  }
  out[t] = s;
}
extern "C" bool partitions() {
  buffer<int> out(32);
  LAUNCH(use_partitions, 1, 32)(out.place);
  return holds(out, [](int t) {
    int const size = t % 3 == 2 ? 10 : 11;
    return size + 100 * (t / 3) + 10000 * (t % 4 == 0 ? 8 : 24) +
           (t % 5 == 0 ? 1000000 * 7 + 10000000 * 5 : 0);
  });
}

__global__ void scan_groups(int* out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int t = threadIdx.x;
  int inclusive = cg::inclusive_scan(tile, t, cg::plus<int>());
  int exclusive = cg::exclusive_scan(tile, t);
  int largest = cg::reduce(tile, t ^ 5, cg::greater<int>());
  out[t] = inclusive + 1000 * exclusive + 1000000 * largest;
}
extern "C" bool group_scans() {
  buffer<int> out(64);
  LAUNCH(scan_groups, 1, 64)(out.place);
  return holds(out, [](int t) {
    int before = 0;
    for (int i = t / 16 * 16; i < t; i++) before += i;
    return before + t + 1000 * before + 1000000 * (t / 16 * 16 + 15);
  });
}

__global__ void copy_by_group(const int* in, int* out) {
  __shared__ __align__(16) int tile[100];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in, sizeof(int) * 100);
  cg::wait(block);
  for (int i = threadIdx.x; i < 100; i += 32) out[i] = tile[99 - i];
}
extern "C" bool group_copies() {
  std::vector<int> values(100);
  for (int i = 0; i < 100; i++) values[i] = i * i;
  buffer<int> in(values), out(100);
  LAUNCH(copy_by_group, 1, 32)(in.place, out.place);
  return holds(out, [](int i) { return (99 - i) * (99 - i); });
}

__global__ void work_between_arrive_and_wait(int* out) {
  __shared__ int tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  int t = threadIdx.x, s = 0;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; round++) {
    tile[t] = t + round;
    auto token = barrier.arrive();
    s *= 10;
    barrier.wait(static_cast<decltype(token)&&>(token));
    s += tile[(t + 1) % 64] - (t + 1) % 64;
    barrier.arrive_and_wait();
  }
  if (t % 2) {
    barrier.arrive_and_drop();
  } else {
    barrier.arrive_and_wait();
    barrier.arrive_and_wait();
  }
  out[t] = s;
}
extern "C" bool split_barrier() {
  buffer<int> out(64);
  LAUNCH(work_between_arrive_and_wait, 1, 64)(out.place);
  return holds(out, [](int) { return 12; });
}

__global__ void two_stages(const int* in, int* out, int rounds) {
  __shared__ int tile[2][32];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x, s = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&tile[0][t], &in[t], cuda::aligned_size_t<4>(4), pipe);
  pipe.producer_commit();
  for (int i = 0; i < rounds; i++) {
    if (i + 1 < rounds) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[(i + 1) % 2][t], &in[(i + 1) * 32 + t], cuda::aligned_size_t<4>(4),
                         pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    s += tile[i % 2][t];
    pipe.consumer_release();
  }
  out[t] = s;
}
extern "C" bool pipeline_of_a_thread() {
  std::vector<int> values(128);
  for (int i = 0; i < 128; i++) values[i] = i;
  buffer<int> in(values), out(32);
  LAUNCH(two_stages, 1, 32)(in.place, out.place, 4);
  return holds(out, [](int t) { return 4 * t + 32 * 6; });
}

__global__ void stages_of_a_block(const int* in, int* out, int rounds) {
  __shared__ __align__(16) int tile[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, s = 0;
  for (int i = 0, next = 0; i < rounds; i++) {
    for (; next < rounds && next < i + 2; next++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % 2], in + 64 * next, sizeof(int) * 64, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    s += tile[i % 2][63 - t];
    pipe.consumer_release();
  }
  out[t] = s;
}
extern "C" bool pipeline_of_a_block() {
  std::vector<int> values(256);
  for (int i = 0; i < 256; i++) values[i] = i;
  buffer<int> in(values), out(64);
  LAUNCH(stages_of_a_block, 1, 64)(in.place, out.place, 4);
  return holds(out, [](int t) { return 4 * (63 - t) + 64 * 6; });
}

__global__ void copy_in_bulk(const int* in, int* out) {
  __shared__ __align__(128) int tile[64];
  __shared__ __align__(8) std::uint64_t barrier;
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_init(&barrier, 1);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &barrier, sizeof tile);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in,
                             sizeof tile, &barrier);
  }
  while (!cuda::ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
extern "C" bool bulk_copy() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; i++) values[i] = 3 * i;
  buffer<int> in(values), out(64);
  LAUNCH(copy_in_bulk, 1, 64)(in.place, out.place);
  return holds(out, [](int t) { return 3 * (63 - t); });
}

__global__ void hand_on(int* data, int* flags, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[blockIdx.x + 1]);
  cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[blockIdx.x]);
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0)
    while (before.load(cuda::memory_order_acquire) == 0) {
    }
  data[blockIdx.x + 1] = data[blockIdx.x] + 2;
  mine.store(1, cuda::memory_order_release);
  if (blockIdx.x == gridDim.x - 1) *out = data[gridDim.x];
}
extern "C" bool flags_between_blocks() {
  buffer<int> data(9), flags(9), out(1);
  LAUNCH(hand_on, 8, 32)(data.place, flags.place, out.place);
  return holds(out, [](int) { return 16; });
}

#ifdef __NVCC__
extern "C" bool ptx_functions() {
  return true;
}
#else
namespace ptx = upsweep::emulated::ptx;
__global__ void use_ptx(unsigned* p, const unsigned* in) {
  __shared__ unsigned tile[64];
  unsigned t = threadIdx.x, a, b, c, d;
  bool inside;
  ptx::cp_async(ptx::at(ptx::to_shared<unsigned>(&tile[t])), ptx::at(in + t), 4);
  ptx::cp_async_commit_group();
  ptx::cp_async_wait_group(0);
  ptx::barrier_sync(0);
  unsigned s = tile[63 - t];
  ptx::load_vector<unsigned>(ptx::at(in + t / 4 * 4), a, b, c, d);
  s += a + b + c + d;
  unsigned up = ptx::shfl_up(t, 1, 0, ~0u, inside);
  s += inside == (t % 32 != 0) && up == (inside ? t - 1 : t) ? 1000 : 0;
  s += ptx::lop3(12, 10, 6, 0x96) == (12 ^ 10 ^ 6) ? 2000 : 0;
  s += ptx::bfe<int>(0xf0, 4, 4) == -1 && ptx::bfe<unsigned>(0xf0, 4, 4) == 15 ? 4000 : 0;
  s += ptx::bfi<unsigned>(5, ~0u, 4, 3) == 0xffffffdfu ? 8000 : 0;
  s += ptx::bfind<int>(-1) == ~0u && ptx::bfind<unsigned>(9) == 3 ? 16000 : 0;
  s += ptx::mul_hi<int>(-1, 2) == -1 && ptx::mul_wide<unsigned>(~0u, 2) == 0x1fffffffeull ? 32000
                                                                                          : 0;
  s += __popc(ptx::lanemask_lt()) == t % 32 ? 64000 : 0;
  unsigned long long packed = ptx::pack<unsigned long long>(1u, 2u);
  ptx::unpack(packed, a, b);
  s += packed == 0x200000001ull && a == 1 && b == 2 ? 128000 : 0;
  ptx::store_release<unsigned>(ptx::at(p + t), s, ptx::scope::device);
}
extern "C" bool ptx_functions() {
  std::vector<unsigned> values(64);
  for (int i = 0; i < 64; i++) values[i] = i;
  buffer<unsigned> in(values), out(64);
  LAUNCH(use_ptx, 1, 64)(out.place, in.place);
  return holds(out, [](int t) { return 63u - t + 4 * (t / 4 * 4) + 6 + 255000u; });
}
#endif

__global__ void count_odd(const int* in, int n, int* count) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] % 2) {
      unsigned active = __activemask();
      int leader = __ffs(active) - 1;
      if (static_cast<int>(threadIdx.x % 32) == leader) atomicAdd(count, __popc(active));
    }
}
extern "C" bool aggregated_atomics() {
  std::vector<int> values(200);
  for (int i = 0; i < 200; i++) values[i] = i * 7 % 5;
  buffer<int> in(values), count(1);
  LAUNCH(count_odd, 1, 64)(in.place, 200, count.place);
  return holds(count, [](int) { return 80; });
}

// Two warps on each side: a side meets at its own barrier.
__device__ void meet(unsigned number, unsigned threads) {
#ifdef __NVCC__
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
#else
  upsweep::emulated::ptx::barrier_sync(number, threads);
#endif
}
__device__ void announce(unsigned number, unsigned threads) {
#ifdef __NVCC__
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
#else
  upsweep::emulated::ptx::barrier_arrive(number, threads);
#endif
}
__global__ void reverse_sides(int* out) {
  __shared__ int tile[128];
  int t = threadIdx.x, side = t / 64;
  for (int round = 0; round < 3; round++) {
    tile[t] = t + round;
    meet(1 + side, 64);
    out[t] = tile[side * 64 + 63 - t % 64];
    meet(1 + side, 64);
  }
}
// The first warp writes, and waits only until the second one has read.
__global__ void hand_over(int* out) {
  __shared__ int box[32];
  int t = threadIdx.x % 32;
  for (int round = 0; round < 3; round++)
    if (threadIdx.x < 32) {
      if (round > 0) meet(2, 64);
      box[t] = 100 * round + t;
      announce(1, 64);
    } else {
      meet(1, 64);
      out[32 * round + t] = box[31 - t];
      if (round < 2) announce(2, 64);
    }
}
extern "C" bool barriers_of_parts() {
  buffer<int> sides(128), boxes(96);
  LAUNCH(reverse_sides, 1, 128)(sides.place);
  LAUNCH(hand_over, 1, 64)(boxes.place);
  return holds(sides, [](int i) { return i / 64 * 64 + 63 - i % 64 + 2; }) &&
         holds(boxes, [](int i) { return i / 32 * 100 + 31 - i % 32; });
}

__global__ void use_wide_tiles(int* out) {
  __shared__ cg::block_tile_memory<256> room;
  cg::thread_block block = cg::this_thread_block(room);
  auto tile = cg::tiled_partition<64>(block);
  auto half = cg::tiled_partition<128>(block);
  int t = threadIdx.x, s = cg::reduce(tile, t, cg::plus<int>());
  s += 10000 * half.meta_group_rank() + 100000 * tile.any(t == 70) + 1000000 * tile.all(t < 64);
  s += tile.shfl(t, 5);
  half.sync();
  out[half.thread_rank() + 128 * half.meta_group_rank()] = s;
}
extern "C" bool tiles_of_several_warps() {
  buffer<int> out(256);
  LAUNCH(use_wide_tiles, 1, 256)(out.place);
  return holds(out, [](int i) {
    int const first = i / 64 * 64;
    return 64 * first + 2016 + 10000 * (i / 128) + 100000 * (i / 64 == 1) + 1000000 * (i < 64) +
           first + 5;
  });
}
