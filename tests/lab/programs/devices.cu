/// What depends on the device. argv[1]: nothing, or a word that needs a newer one.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <string>

__global__ void tell(int* arch) {
  *arch = __CUDA_ARCH__;
}

__global__ void copies_asynchronously(int* p) {
  __shared__ int tile[4];
  unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p) : "memory");  // COPY
  asm volatile("cp.async.wait_all;" ::: "memory");
  p[4] = tile[3];
}
__global__ void reduces(int* p) {
  int const sum = __reduce_add_sync(~0u, static_cast<int>(threadIdx.x));  // REDUCE
  if (threadIdx.x == 0) p[4] = sum;
}
__global__ void expects_bytes(int* p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) init(&arrived, 1);
  __syncthreads();
  if (threadIdx.x == 0) arrived.wait(cuda::device::barrier_arrive_tx(arrived, 1, 0));  // EXPECT
  if (threadIdx.x == 0) p[4] = 496;
}
__global__ void meets_its_cluster(int* p) {
  cooperative_groups::this_cluster().sync();
  if (blockIdx.x == 0) p[4] = 496;
}
__global__ void fills(int* p) {
  extern __shared__ int room[];
  room[threadIdx.x] = 496;
  p[4] = room[0];
}

int main(int argc, char** argv) {
  int *p, h[5] = {1, 2, 3, 496, 0};
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  std::string const word = argc > 1 ? argv[1] : "";
  if (word == "copy") copies_asynchronously<<<1, 1>>>(p);
  if (word == "reduce") reduces<<<1, 32>>>(p);
  if (word == "expect") expects_bytes<<<1, 32>>>(p);
  if (word == "cluster") {
    cudaLaunchAttribute shape;
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 1;
    config.attrs = &shape;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, meets_its_cluster, p);  // CLUSTER
  }
  if (word == "memory") {
    cudaFuncSetAttribute(fills, cudaFuncAttributeMaxDynamicSharedMemorySize, 80 << 10);  // MEMORY
    fills<<<1, 1, 80 << 10>>>(p);
  }
  if (word.empty()) {
    tell<<<1, 1>>>(p + 4);
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    std::printf("%s: %d.%d\n", device.name, device.major, device.minor);
  }
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[4]);
}
