// RIGHT __reduce_add_sync
__global__ void sum_of_blocks(int const* in, int* out, int n) {
  __shared__ int totals[32];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32, warps = (blockDim.x + 31) / 32;
  int const i = blockIdx.x * blockDim.x + t;
  int const lanes = min(32, static_cast<int>(blockDim.x) - warp * 32);
  unsigned const mask = 0xffffffff >> (32 - lanes);
  int const sum = __reduce_add_sync(mask, i < n ? in[i] : 0);
  if (lane == 0) totals[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  int value = 0;
  for (int w = lane; w < warps; w += lanes) value += totals[w];
  int const all = __reduce_add_sync(mask, value);
  if (lane == 0) out[blockIdx.x] = all;
}

// POINTLESS a tree in shared memory
__global__ void sum_of_blocks(int const* in, int* out, int n) {
  __shared__ int tile[1024];
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int stride = 512; stride > 0; stride /= 2) {
    if (t < stride && t + stride < blockDim.x) tile[t] += tile[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

// POINTLESS atomics on shared memory, with a shuffle for show
__global__ void sum_of_blocks(int const* in, int* out, int n) {
  __shared__ int sum;
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t == 0) sum = 0;
  __syncthreads();
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (t == 0) out[blockIdx.x] = __shfl_sync(1, sum, 0);
}

// POINTLESS one lane of each warp adds up, with a shuffle for show
__global__ void sum_of_blocks(int const* in, int* out, int n) {
  __shared__ int tile[1024], totals[32];
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t, warps = (blockDim.x + 31) / 32;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (t % 32 == 0) {
    int sum = 0;
    for (int k = t; k < t + 32 && k < blockDim.x; ++k) sum += tile[k];
    totals[t / 32] = __shfl_sync(1, sum, 0);
  }
  __syncthreads();
  if (t != 0) return;
  int sum = 0;
  for (int w = 0; w < warps; ++w) sum += totals[w];
  out[blockIdx.x] = sum;
}
