/// Clusters, and what depends on the device's limits.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "launch.cuh"

#include "buffer.cuh"

namespace cg = cooperative_groups;

__global__ void reverse_cluster(int* out) {
  __shared__ int tile[32];
  cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = cluster.thread_rank();
  cluster.sync();
  int const other = cluster.num_blocks() - 1 - cluster.block_rank();
  out[cluster.thread_rank()] = cluster.map_shared_rank(tile, other)[31 - threadIdx.x];
  cluster.sync();
}
extern "C" bool cluster_words() {
  buffer<int> out(128);
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.gridDim = 4;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (cudaLaunchKernelEx(&config, reverse_cluster, out.place) != cudaSuccess) return false;
  return holds(out, [](int i) { return 127 - i; });
}

// Every block of a cluster of 2 x 2 x 2 reads the numbers of the others, by rank.
__global__ void tell_peers(int* out) {
  __shared__ int number;
  cg::cluster_group cluster = cg::this_cluster();
  dim3 const mine = cluster.block_index(), all = cluster.dim_blocks();
  bool const right = (mine.z * all.y + mine.y) * all.x + mine.x == cluster.block_rank() &&
                     mine.x == blockIdx.x % 2 && mine.y == blockIdx.y % 2 &&
                     mine.z == blockIdx.z % 2 && cluster.num_blocks() == 8;
  int const block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0) number = right ? block : -1;
  cluster.sync();
  out[block * 8 + threadIdx.x] = *cluster.map_shared_rank(&number, threadIdx.x);
  cluster.sync();
}
extern "C" bool clusters_in_three_dimensions() {
  buffer<int> out(4 * 6 * 2 * 8);
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 2;
  config.gridDim = dim3(4, 6, 2);
  config.blockDim = 8;
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (cudaLaunchKernelEx(&config, tell_peers, out.place) != cudaSuccess) return false;
  return holds(out, [](int i) {
    int const rank = i % 8, x = i / 8 % 4, y = i / 32 % 6;
    int const peer_x = x - x % 2 + rank % 2, peer_y = y - y % 2 + rank / 2 % 2, peer_z = rank / 4;
    return peer_x + 4 * peer_y + 24 * peer_z;
  });
}

__global__ void add_one(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}
template <class T>
__global__ void needs_memory(T* out) {
  __shared__ T fixed[1024];
  extern __shared__ char room[];
  fixed[threadIdx.x] = threadIdx.x;
  room[threadIdx.x] = 1;
  out[threadIdx.x] = fixed[threadIdx.x];
}
extern "C" int blocks_per_multiprocessor(int threads, int bytes) {
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add_one, threads, bytes);
  return blocks;
}
// 0 if a kernel may have so much dynamic shared memory, else the error.
extern "C" int limit_of_dynamic_memory(int bytes) {
  cudaFuncSetAttribute(needs_memory<short>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  return cudaGetLastError();
}
extern "C" int launch_with_memory(int bytes) {
  buffer<double> p(32);
  LAUNCH(needs_memory<double>, 1, 32, bytes)(p.place);
  return cudaGetLastError();
}
extern "C" int cooperative_launch(int blocks) {
  buffer<int> p(1);
  int n = 1;
  void* arguments[] = {(void*)&p.place, &n};
  cudaLaunchCooperativeKernel((void*)add_one, dim3(blocks), dim3(1024), arguments, 0, 0);
  return cudaGetLastError();
}
extern "C" int launch_of_clusters() {
  buffer<int> p(1);
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.gridDim = 2;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, add_one, p.place, 1);
  return cudaGetLastError();
}
// Whether the properties are those of the attributes.
extern "C" bool properties_agree() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  auto const is = [](cudaDeviceAttr which, size_t value) {
    int got = -1;
    return cudaDeviceGetAttribute(&got, which, 0) == cudaSuccess && got == static_cast<int>(value);
  };
  return is(cudaDevAttrComputeCapabilityMajor, p.major) &&
         is(cudaDevAttrComputeCapabilityMinor, p.minor) &&
         is(cudaDevAttrMultiProcessorCount, p.multiProcessorCount) &&
         is(cudaDevAttrMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor) &&
         is(cudaDevAttrMaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor) &&
         is(cudaDevAttrMaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin) &&
         is(cudaDevAttrMaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor) &&
         is(cudaDevAttrReservedSharedMemoryPerBlock, p.reservedSharedMemPerBlock);
}
extern "C" int attribute(int which) {
  int value = -1;
  cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(which), 0);
  return value;
}
