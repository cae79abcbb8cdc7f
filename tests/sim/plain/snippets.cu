/// Everyday expressions of CUDA C++, one in each kernel. A block of 64 threads writes out[t]; in[i]
/// is 3 i % 17.
#include "launch.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cuda/barrier>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

namespace {

constexpr int threads = 64;
constexpr int value(int i) {
  return 3 * i % 17;
}

struct pair {
  int x, y;
};
struct snippet {
  char const* name;
  void (*run)(int* out, int const* in);
  int (*want)(int t);
};
std::vector<snippet>& all() {
  static std::vector<snippet> list;
  return list;
}
struct registered {
  registered(snippet const& s) { all().push_back(s); }
};

}  // namespace

__constant__ int four_numbers[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ unsigned tickets;

/// Its body uses t, in and out; `wanted` uses t.
#define SNIPPET(name, wanted, ...)                                                \
  __global__ void name(int* out, const int* in) {                                 \
    int t = threadIdx.x;                                                          \
    __VA_ARGS__                                                                   \
  }                                                                               \
  static registered const registered_##name(                                      \
      {#name, [](int* out, int const* in) { LAUNCH(name, 1, threads)(out, in); }, \
       [](int t) -> int { return wanted; }});

SNIPPET(post_increment, t + 1, __shared__ int tile[64]; tile[t] = t; tile[t]++; out[t] = tile[t];)
SNIPPET(pre_decrement, t - 1, __shared__ int tile[64]; tile[t] = t; out[t] = --tile[t];)
SNIPPET(walk, value(t), int* o = out + t; const int* i = in + t; *o++ = *i++;)
SNIPPET(divide, value(t) / 3, out[t] = in[t]; out[t] /= 3;)
SNIPPET(remainder_of, value(t) % 3, out[t] = in[t]; out[t] %= 3;)
SNIPPET(shift, value(t) << 2, out[t] = in[t]; out[t] <<= 2;)
SNIPPET(masks, ((value(t) | 8) & 12) ^ 1, out[t] = in[t]; out[t] |= 8; out[t] &= 12; out[t] ^= 1;)
SNIPPET(member, 2 * t, __shared__ pair p[64]; p[t].x = t; p[t].y = p[t].x;
        out[t] = p[t].x + p[t].y;)
SNIPPET(arrow, t + 1, __shared__ pair p[64]; pair* q = p + t; q->x = t; q->x++; out[t] = q->x;)
SNIPPET(copy_struct, 2 * t + 1, __shared__ pair p[64]; p[t] = pair{t, t + 1}; pair c = p[t];
        out[t] = c.x + c.y;)
SNIPPET(vector4, value(t / 4 * 4 + t % 4),
        if (t < 16) reinterpret_cast<int4*>(out)[t] = reinterpret_cast<const int4*>(in)[t];)
SNIPPET(make_vector, 10 * t, __shared__ float4 v[64]; v[t] = make_float4(t, 2 * t, 3 * t, 4 * t);
        float4 f = v[t]; out[t] = f.x + f.y + f.z + f.w;)
SNIPPET(two_dimensions, 63 - t, __shared__ int tile[8][8 + 1]; tile[t / 8][t % 8] = t;
        __syncthreads(); out[t] = tile[7 - t / 8][7 - t % 8];)
SNIPPET(three_dimensions, t, __shared__ int tile[4][4][4]; tile[t / 16][t / 4 % 4][t % 4] = t;
        out[t] = tile[t / 16][t / 4 % 4][t % 4];)
SNIPPET(shared_scalar, 64, __shared__ int sum; if (t == 0) sum = 0; __syncthreads();
        atomicAdd(&sum, 1); __syncthreads(); out[t] = sum;)
SNIPPET(pointer_to_shared, t ^ 1, __shared__ int tile[64]; int* p = &tile[t]; *p = t;
        __syncthreads(); out[t] = *(tile + (t ^ 1));)
SNIPPET(reference, 2 * t, __shared__ int tile[64]; int& r = tile[t]; r = t; r += r;
        out[t] = tile[t];)
SNIPPET(
    swap_auto, t ^ 1, out[t] = t; __syncthreads(); if (t % 2 == 0) {
      auto x = out[t];
      out[t] = out[t + 1];
      out[t + 1] = x;
    })
SNIPPET(local_array, value(t) + 6, int a[4] = {0, 1, 2, 3}; int s = in[t];
        for (int i = 0; i < 4; i++) s += a[(i + t) & 3]; out[t] = s;)
SNIPPET(dims, 64 + t, dim3 d = blockDim; uint3 i = threadIdx; out[i.x] = d.x * d.y * d.z + i.x;)
SNIPPET(named_like_dims, t + 16, dim3 blockDim(4, 4); out[t] = t + blockDim.x * blockDim.y;)
SNIPPET(increment_wraps, 1, __shared__ unsigned n; if (t == 0) n = 0; __syncthreads();
        atomicInc(&n, 62); __syncthreads(); out[t] = n;)
SNIPPET(decrement_wraps, 62, __shared__ unsigned n; if (t == 0) n = 0; __syncthreads();
        atomicDec(&n, 62); __syncthreads(); out[t] = n == 62 ? n : 62;)
SNIPPET(add_in_block, 64, __shared__ int n; if (t == 0) n = 0; __syncthreads();
        atomicAdd_block(&n, 1); __syncthreads(); out[t] = n;)
SNIPPET(add_of_system, 2016, __shared__ int n; if (t == 0) n = 0; __syncthreads();
        atomicAdd_system(&n, t); __syncthreads(); out[t] = n;)
SNIPPET(least, 0, __shared__ int n; if (t == 0) n = 99; __syncthreads(); atomicMin(&n, t);
        __syncthreads(); out[t] = n;)
SNIPPET(largest, 63, __shared__ int n; if (t == 0) n = 0; __syncthreads(); atomicMax(&n, t);
        __syncthreads(); out[t] = n;)
SNIPPET(
    compare_and_swap_loop, 64, __shared__ int n; if (t == 0) n = 0; __syncthreads();
    int old = atomicCAS(&n, 0, 0), seen; do {
      seen = old;
      old = atomicCAS(&n, seen, seen + 1);
    } while (old != seen);
    __syncthreads(); out[t] = n;)
SNIPPET(exchange, 1, __shared__ int n; if (t == 0) n = 1; __syncthreads();
        out[t] = atomicExch(&n, 1);)
SNIPPET(add_floats, 64, __shared__ float s; if (t == 0) s = 0; __syncthreads(); atomicAdd(&s, 1.0f);
        __syncthreads(); out[t] = s;)
SNIPPET(device_variable, 5 + t, out[t] = counter + t;)
SNIPPET(constants, t % 4 + 1, out[t] = four_numbers[t % 4];)
SNIPPET(cached_loads, value(t) + value(63 - t),
        __stcg(out + t, __ldcg(in + t) + __ldg(&in[63 - t]));)
SNIPPET(volatile_pointer, t, volatile int* p = out; p[t] = t;)
SNIPPET(minimum, (t < 5 ? t : 5) + 64, out[t] = min(t, 5) + max(1u, blockDim.x);)
SNIPPET(shuffle_element, value(t / 32 * 32), __shared__ int s[64]; s[t] = in[t];
        out[t] = __shfl_sync(0xffffffff, s[t], 0);)
SNIPPET(shuffle_up, t % 32 == 0 ? t : t - 1, out[t] = __shfl_up_sync(0xffffffff, t, 1);)
SNIPPET(shuffle_down_double, t % 32 == 31 ? t : t + 1,
        out[t] = __shfl_down_sync(0xffffffff, static_cast<double>(t), 1);)
SNIPPET(shuffle_width, t ^ 1, out[t] = __shfl_xor_sync(0xffffffff, t, 1, 8);)
SNIPPET(ballots, 16, out[t] = __popc(__ballot_sync(0xffffffff, t % 2));)
SNIPPET(match, 8, out[t] = __popc(__match_any_sync(0xffffffff, t % 4));)
SNIPPET(warp_add, 32, out[t] = __reduce_add_sync(0xffffffff, 1u);)
SNIPPET(any_of, 3,
        out[t] = (__any_sync(~0u, t % 32 == 3) != 0) + 2 * (__all_sync(~0u, t >= 0) != 0);)
SNIPPET(count_barrier, 32, out[t] = __syncthreads_count(t % 2);)
SNIPPET(block_group, 64 + t, auto b = cg::this_thread_block(); b.sync();
        out[t] = b.size() + b.thread_rank();)
SNIPPET(tile_of_8, 36 - 8, auto g = cg::tiled_partition<8>(cg::this_thread_block());
        int s = g.thread_rank(); for (int d = 4; d > 0; d /= 2) s += g.shfl_xor(s, d); out[t] = s;)
SNIPPET(reduce_tile, t / 16 * 256 + 120, auto g = cg::tiled_partition<16>(cg::this_thread_block());
        out[t] = cg::reduce(g, t, cg::plus<int>());)
SNIPPET(
    coalesced, t % 2 ? 16 : 0, out[t] = 0; if (t % 2) {
      auto g = cg::coalesced_threads();
      out[t] = g.size();
    })
SNIPPET(grid_rank, t, out[t] = cg::this_grid().thread_rank();)
SNIPPET(barrier_object, 63 - t, __shared__ int tile[64];
        __shared__ cuda::barrier<cuda::thread_scope_block> b; if (t == 0) init(&b, 64);
        __syncthreads(); tile[t] = t; b.arrive_and_wait(); out[t] = tile[63 - t];)
SNIPPET(copy_asynchronously, value(63 - t), __shared__ int tile[64];
        __pipeline_memcpy_async(&tile[t], &in[t], 4); __pipeline_commit(); __pipeline_wait_prior(0);
        __syncthreads(); out[t] = tile[63 - t];)
SNIPPET(
    compare_exchange_weakly, 64, __shared__ int n; if (t == 0) n = 0; __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> r(n); int old = r.load();
    while (!r.compare_exchange_weak(old, old + 1)) {} __syncthreads(); out[t] = n;)
SNIPPET(clocks, 1, long long begin = clock64(); out[t] = clock64() > begin;)
SNIPPET(halves, 3 * t, __half h = __float2half(1.5f);
        out[t] = __half2float(h * __int2half_rn(2 * t));)
SNIPPET(fast_math, 1,
        out[t] = __expf(0.0f) * __frcp_rn(1.0f) * rsqrtf(1.0f) * __fdividef(2.0f, 2.0f);)
SNIPPET(bits, 31 + 1 + 3, out[t] = __clz(1) + __ffs(1) + __popc(7) * (__brev(1) == 0x80000000u);)
SNIPPET(ticket, 1, __shared__ unsigned mine; if (t == 0) mine = atomicInc(&tickets, 0);
        __syncthreads(); out[t] = mine == 0;)

extern "C" int snippets() {
  return static_cast<int>(all().size());
}
extern "C" char const* snippet_name(int i) {
  return all()[i].name;
}
/// The first thread whose result is wrong; -1 if all are right, -2 if the launch fails.
extern "C" int wrong_thread_of_snippet(int i) {
  std::vector<int> a(threads), result(threads);
  for (int t = 0; t < threads; t++) a[t] = value(t);
  int *in, *out;
  cudaMalloc(&in, threads * sizeof(int));
  cudaMalloc(&out, threads * sizeof(int));
  cudaMemcpy(in, a.data(), threads * sizeof(int), cudaMemcpyHostToDevice);
  all()[i].run(out, in);
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpy(result.data(), out, threads * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  if (error != cudaSuccess) return -2;
  for (int t = 0; t < threads; t++)
    if (result[t] != all()[i].want(t)) return t;
  return -1;
}
