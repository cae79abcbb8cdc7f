// One thread of each block waits for the cluster, the others for their block.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void broken(int* x) {
  __shared__ int mine;
  if (threadIdx.x == 0) {
    mine = blockIdx.x;
    cooperative_groups::this_cluster().sync();
    x[blockIdx.x] = *cooperative_groups::this_cluster().map_shared_rank(&mine, blockIdx.x ^ 1);
  }
  __syncthreads();
  x[blockIdx.x + 2] = mine;
}

__global__ void fixed(int* x) {
  __shared__ int mine;
  auto const cluster = cooperative_groups::this_cluster();
  if (threadIdx.x == 0) mine = blockIdx.x;
  cluster.sync();  // both numbers are stored; waits for all threads of both blocks
  if (threadIdx.x == 0) x[blockIdx.x] = *cluster.map_shared_rank(&mine, blockIdx.x ^ 1);
  cluster.sync();  // and read: a block may end
}

int main(int argc, char**) {
  int* x;
  cudaMallocManaged(&x, 4 * sizeof(int));
  x[0] = 0;
  cudaLaunchAttribute pair{};
  pair.id = cudaLaunchAttributeClusterDimension;
  pair.val.clusterDim.x = 2;
  pair.val.clusterDim.y = pair.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 32;
  config.attrs = &pair;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, argc > 1 ? fixed : broken, x);
  cudaDeviceSynchronize();
  std::printf("block 0 read %d\n", x[0]);
}
