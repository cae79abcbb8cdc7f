/// One mistake in each kernel or call, in the line with the comment WRONG. The functions return
/// whether the host saw what it would see on a GPU.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "launch.cuh"

#include "buffer.cuh"

#undef NDEBUG
#include <cassert>
#include <cstdint>
#include <vector>

namespace cg = cooperative_groups;

__global__ void does_nothing(int*) {
  extern __shared__ int room[];
  if (threadIdx.x > 5000) room[0] = 0;
}

extern "C" bool too_many_threads() {
  LAUNCH(does_nothing, 1, 2048)(nullptr);  // WRONG too_many_threads
  return cudaPeekAtLastError() == cudaErrorInvalidConfiguration &&
         cudaGetLastError() == cudaErrorInvalidConfiguration && cudaGetLastError() == cudaSuccess;
}
extern "C" bool too_deep_a_block() {
  LAUNCH(does_nothing, 1, dim3(1, 1, 128))(nullptr);  // WRONG too_deep_a_block
  return cudaGetLastError() == cudaErrorInvalidConfiguration;
}
extern "C" bool too_tall_a_grid() {
  LAUNCH(does_nothing, dim3(1, 70000), 32)(nullptr);  // WRONG too_tall_a_grid
  return cudaGetLastError() == cudaErrorInvalidConfiguration;
}
extern "C" bool empty_grid() {
  LAUNCH(does_nothing, 0, 32)(nullptr);  // WRONG empty_grid
  return cudaGetLastError() == cudaErrorInvalidConfiguration;
}
extern "C" bool too_much_dynamic_memory() {
  LAUNCH(does_nothing, 1, 32, 64 * 1024)(nullptr);  // WRONG too_much_dynamic_memory
  return cudaGetLastError() == cudaErrorInvalidValue;
}
extern "C" bool too_large_a_limit() {
  constexpr auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
  cudaError_t e = cudaFuncSetAttribute(does_nothing, limit, 240 * 1024);  // WRONG too_large_a_limit
  return e == cudaErrorInvalidValue && cudaGetLastError() == e;
}
struct cluster_launch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  cluster_launch(int blocks, int cluster) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
};
extern "C" bool too_large_a_cluster() {
  cluster_launch a(64, 32);
  int* none = nullptr;
  cudaError_t e = cudaLaunchKernelEx(&a.config, does_nothing, none);  // WRONG too_large_a_cluster
  return e != cudaSuccess;
}
extern "C" bool uneven_cluster() {
  cluster_launch a(6, 4);
  int* none = nullptr;
  cudaError_t e = cudaLaunchKernelEx(&a.config, does_nothing, none);  // WRONG uneven_cluster
  return e != cudaSuccess;
}
extern "C" bool uneven_rows_of_clusters() {
  cluster_launch a(4, 2);
  a.config.gridDim.y = 3;
  a.attribute.val.clusterDim.y = 2;
  int* none = nullptr;
  auto e = cudaLaunchKernelEx(&a.config, does_nothing, none);  // WRONG uneven_rows_of_clusters
  return e != cudaSuccess;
}
extern "C" bool circle_of_nodes() {
  cudaGraph_t graph;
  cudaGraphExec_t executable = nullptr;
  cudaGraphNode_t a, b;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&a, graph, nullptr, 0);
  cudaGraphAddEmptyNode(&b, graph, &a, 1);
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, &b, &a, nullptr, 1);
#else
  cudaGraphAddDependencies(graph, &b, &a, 1);
#endif
  cudaError_t e = cudaGraphInstantiate(&executable, graph, 0);  // WRONG circle_of_nodes
  return e != cudaSuccess && executable == nullptr && cudaGetLastError() == e;
}
struct destroyed_graph {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  destroyed_graph() {
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&executable, graph, 0);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
  }
};
extern "C" bool launch_of_a_destroyed_graph() {
  destroyed_graph gone;
  cudaError_t e = cudaGraphLaunch(gone.executable, 0);  // WRONG launch_of_a_destroyed_graph
  return e != cudaSuccess && cudaGetLastError() == e;
}
extern "C" bool instance_of_a_gone_graph() {
  destroyed_graph gone;
  auto e = cudaGraphInstantiate(&gone.executable, gone.graph);  // WRONG instance_of_a_gone_graph
  return e != cudaSuccess && cudaGetLastError() == e;
}
extern "C" bool graph_destroyed_twice() {
  destroyed_graph gone;
  cudaError_t e = cudaGraphDestroy(gone.graph);  // WRONG graph_destroyed_twice
  return e != cudaSuccess && cudaGetLastError() == e;
}
extern "C" bool instance_destroyed_twice() {
  destroyed_graph gone;
  cudaError_t e = cudaGraphExecDestroy(gone.executable);  // WRONG instance_destroyed_twice
  return e != cudaSuccess && cudaGetLastError() == e;
}
extern "C" bool node_of_another_graph() {
  cudaGraph_t one, other;
  cudaGraphNode_t a, b;
  cudaGraphCreate(&one, 0);
  cudaGraphCreate(&other, 0);
  cudaGraphAddEmptyNode(&a, one, nullptr, 0);
  cudaError_t e = cudaGraphAddEmptyNode(&b, other, &a, 1);  // WRONG node_of_another_graph
  return e == cudaErrorInvalidValue && cudaGetLastError() == e;
}
extern "C" bool too_large_a_grid() {
  int* none = nullptr;
  void* arguments[] = {&none};
  auto* const run = does_nothing;
  int const n = 100000;
  auto e = cudaLaunchCooperativeKernel(run, n, 1024, arguments);  // WRONG too_large_a_grid
  return e == cudaErrorCooperativeLaunchTooLarge && cudaGetLastError() == e;
}
__global__ void asserts(int* p) {
  assert(p[threadIdx.x] == 0);  // WRONG fails_an_assertion
}
extern "C" bool fails_an_assertion() {
  buffer<int> values(std::vector<int>{0, 0, 1, 0});
  LAUNCH(asserts, 1, 4)(values.place);
  return cudaDeviceSynchronize() != cudaSuccess;
}
__global__ void synchronizes() {
  cg::this_grid().sync();  // WRONG synchronizes_a_plain_grid
}
extern "C" bool synchronizes_a_plain_grid() {
  LAUNCH(synchronizes, 2, 32)();
  return cudaDeviceSynchronize() != cudaSuccess;
}
__global__ void arrives_twice() {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 4);
  __syncthreads();
  if (threadIdx.x == 0) (void)barrier.arrive(3);
  __syncthreads();
  if (threadIdx.x == 1) (void)barrier.arrive(2);  // WRONG arrives_too_often
}
extern "C" bool arrives_too_often() {
  LAUNCH(arrives_twice, 1, 32)();
  return cudaDeviceSynchronize() != cudaSuccess;
}

__global__ void does_not_wait(const int* in, int* out) {
  __shared__ int tile[64];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // WRONG forgets_to_wait
}
extern "C" bool forgets_to_wait() {
  buffer<int> in(64), out(64);
  LAUNCH(does_not_wait, 1, 64)(in.place, out.place);
  return true;
}
__global__ void waits_for_the_first(const int* in, int* out) {
  __shared__ int tile[2][32];
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    __pipeline_memcpy_async(&tile[i][t], &in[32 * i + t], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  out[t] = tile[0][t];
  out[32 + t] = tile[1][t];  // WRONG waits_for_too_few
}
extern "C" bool waits_for_too_few() {
  buffer<int> in(64), out(64);
  LAUNCH(waits_for_the_first, 1, 32)(in.place, out.place);
  return true;
}
__global__ void does_not_wait_for_bulk(const int* in, int* out) {
  __shared__ __align__(128) int tile[64];
  __shared__ __align__(8) std::uint64_t barrier;
  if (threadIdx.x == 0) cuda::ptx::mbarrier_init(&barrier, 1);
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta,
                                         cuda::ptx::space_shared, &barrier, sizeof tile);
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in,
                             sizeof tile, &barrier);
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];  // WRONG reads_a_bulk_copy_early
}
extern "C" bool reads_a_bulk_copy_early() {
  buffer<int> in(64), out(64);
  LAUNCH(does_not_wait_for_bulk, 1, 64)(in.place, out.place);
  return true;
}

__global__ void does_not_wait_for_others(int* out) {
  __shared__ int tile[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  tile[threadIdx.x] = threadIdx.x;
  (void)barrier.arrive();
  out[threadIdx.x] = tile[63 - threadIdx.x];  // WRONG arrives_without_waiting
}
extern "C" bool arrives_without_waiting() {
  buffer<int> out(64);
  LAUNCH(does_not_wait_for_others, 1, 64)(out.place);
  return true;
}
__global__ void does_not_synchronize_the_grid(int* sums, int* out) {
  if (threadIdx.x == 0) sums[blockIdx.x] = blockIdx.x;
  __syncthreads();
  out[blockIdx.x] = sums[gridDim.x - 1 - blockIdx.x];  // WRONG lacks_a_grid_barrier
}
extern "C" bool lacks_a_grid_barrier() {
  buffer<int> sums(8), out(8);
  void* arguments[] = {&sums.place, &out.place};
  return cudaLaunchCooperativeKernel(does_not_synchronize_the_grid, 8, 1, arguments) == cudaSuccess;
}

// The last warp of an old reduction: nothing orders its steps.
__global__ void sums_in_step(const int* in, int* out) {
  __shared__ int tile[64];
  volatile int* s = tile;
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  if (t < 32) {
    s[t] = s[t] + s[t + 32];
    s[t] = s[t] + s[t + 16];  // WRONG volatile_sum
    s[t] = s[t] + s[t + 8];
    s[t] = s[t] + s[t + 4];
    s[t] = s[t] + s[t + 2];
    s[t] = s[t] + s[t + 1];
  }
  if (t == 0) *out = tile[0];
}
extern "C" bool volatile_sum() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; i++) values[i] = i * i + 1;
  buffer<int> in(values), out(1);
  LAUNCH(sums_in_step, 1, 64)(in.place, out.place);
  return holds(out, [](int) { return 85408; });
}

__global__ void meets_with_others(int* p) {
#ifdef __NVCC__
  asm volatile("bar.sync 1, %0;" ::"r"(threadIdx.x < 32 ? 64 : 128) : "memory");
#else
  unsigned threads = threadIdx.x < 32 ? 64 : 128;
  upsweep::emulated::ptx::barrier_sync(1, threads);  // WRONG different_numbers_of_threads
#endif
  p[threadIdx.x] = 1;
}
extern "C" bool different_numbers_of_threads() {
  buffer<int> p(64);
  LAUNCH(meets_with_others, 1, 64)(p.place);
  return cudaDeviceSynchronize() != cudaSuccess;
}

__global__ void arrives_at_once(int* p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  // clang-format off
  if (threadIdx.x == 0) init(&b, blockDim.x); b.arrive_and_wait();  // WRONG uses_a_barrier_early
  // clang-format on
  p[threadIdx.x] = 1;
}
extern "C" bool uses_a_barrier_early() {
  buffer<int> p(64);
  LAUNCH(arrives_at_once, 1, 64)(p.place);
  cudaDeviceSynchronize();
  return true;
}

// What a GPU gives for numbers that CUDA does not define: PTX, shfl.sync.
__global__ void shuffles_over_forty(int* p) {
  int t = threadIdx.x;
  p[t] = __shfl_down_sync(~0u, t, 40);  // WRONG too_far_a_shuffle
}
extern "C" bool too_far_a_shuffle() {
  buffer<int> p(32);
  LAUNCH(shuffles_over_forty, 1, 32)(p.place);
  return holds(p, [](int i) { return i + 8 < 32 ? i + 8 : i; });
}
__global__ void shuffles_by_a_large_xor(int* p) {
  int t = threadIdx.x;
  p[t] = __shfl_xor_sync(~0u, t, 33);  // WRONG too_large_a_lane_mask
}
extern "C" bool too_large_a_lane_mask() {
  buffer<int> p(32);
  LAUNCH(shuffles_by_a_large_xor, 1, 32)(p.place);
  return holds(p, [](int i) { return i ^ 1; });
}
__global__ void shuffles_in(int* p, int width) {
  int t = threadIdx.x;
  p[t] = __shfl_sync(~0u, t, 5, width);  // WRONG width_of_no_subsection
}
extern "C" bool width_of_no_subsection() {
  buffer<int> p(32);
  for (int width : {64, 0, -8, 24}) LAUNCH(shuffles_in, 1, 32)(p.place, width);
  return true;
}
