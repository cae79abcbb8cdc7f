// Other solutions of exercises 22 to 24; ../solutions.py reads them.

// EXERCISE 22-run-lengths
// RIGHT shuffles within warps
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  __shared__ int of_warps[threads / 32], starts[threads + 1];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32;
  bool const is_head = t < n && (t == 0 || in[t] != in[t - 1]);
  unsigned const heads = __ballot_sync(~0u, is_head);
  if (lane == 0) of_warps[warp] = __popc(heads);
  __syncthreads();
  int run = __popc(heads & ((1u << lane) - 1)), all = 0;
  for (int w = 0; w < threads / 32; ++w) {
    if (w < warp) run += of_warps[w];
    all += of_warps[w];
  }
  if (is_head) {
    starts[run] = t;
    values[run] = in[t];
  }
  if (t == 0) {
    starts[all] = n;
    *runs = all;
  }
  __syncthreads();
  if (is_head) lengths[run] = starts[run + 1] - t;
}

// RIGHT the last element of a run knows its length
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  __shared__ int tile[threads], scan[threads], starts[threads];
  int const t = threadIdx.x;
  if (t < n) tile[t] = in[t];
  __syncthreads();
  bool const is_head = t < n && (t == 0 || tile[t] != tile[t - 1]);
  int sum = is_head ? 1 : 0;
  scan[t] = sum;
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    if (t >= stride) sum += scan[t - stride];
    __syncthreads();
    scan[t] = sum;
  }
  if (is_head) starts[sum - 1] = t, values[sum - 1] = tile[t];
  if (t == threads - 1) *runs = sum;
  __syncthreads();
  bool const is_last = t < n && (t == n - 1 || tile[t + 1] != tile[t]);
  if (is_last) lengths[sum - 1] = t + 1 - starts[sum - 1];
}

// RIGHT runs by a warp scan of the sums of warps
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  __shared__ int of_warps[threads / 32], starts[threads + 1];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32;
  bool const is_head = t < n && (t == 0 || in[t] != in[t - 1]);
  int sum = is_head ? 1 : 0;
  for (int stride = 1; stride < 32; stride *= 2) {
    int const before = __shfl_up_sync(~0u, sum, stride);
    if (lane >= stride) sum += before;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int all = lane < threads / 32 ? of_warps[lane] : 0;
    for (int stride = 1; stride < 32; stride *= 2) {
      int const before = __shfl_up_sync(~0u, all, stride);
      if (lane >= stride) all += before;
    }
    if (lane < threads / 32) of_warps[lane] = all;
  }
  __syncthreads();
  int const run = sum - 1 + (warp > 0 ? of_warps[warp - 1] : 0);
  if (is_head) starts[run] = t, values[run] = in[t];
  if (t == 0) starts[of_warps[threads / 32 - 1]] = n, *runs = of_warps[threads / 32 - 1];
  __syncthreads();
  if (is_head) lengths[run] = starts[run + 1] - t;
}

// POINTLESS one thread
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  if (threadIdx.x != 0) return;
  int run = -1;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || in[i] != in[i - 1]) {
      values[++run] = in[i];
      lengths[run] = 0;
    }
    ++lengths[run];
  }
  *runs = run + 1;
}

// POINTLESS one thread, from shared memory
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  __shared__ int tile[threads], starts[threads + 1], count;
  int const t = threadIdx.x;
  if (t < n) tile[t] = in[t];
  __syncthreads();
  if (t == 0) {
    count = 0;
    for (int i = 0; i < n; ++i)
      if (i == 0 || tile[i] != tile[i - 1]) starts[count++] = i;
    starts[count] = n;
    *runs = count;
  }
  __syncthreads();
  if (t < count) {
    values[t] = tile[starts[t]];
    lengths[t] = starts[t + 1] - starts[t];
  }
}

// POINTLESS every thread counts the heads before it
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  __shared__ int heads[threads], starts[threads + 1];
  int const t = threadIdx.x;
  bool const is_head = t < n && (t == 0 || in[t] != in[t - 1]);
  heads[t] = is_head ? 1 : 0;
  __syncthreads();
  int run = -1;
  for (int k = 0; k <= t; ++k) run += heads[k];
  if (is_head) starts[run] = t, values[run] = in[t];
  if (t == threads - 1) starts[run + 1] = n, *runs = run + 1;
  __syncthreads();
  if (is_head) lengths[run] = starts[run + 1] - t;
}

// EXERCISE 23-any-block
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

// EXERCISE 24-async-pipeline
// RIGHT the barrier is before the copy of the next tile
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[2][threads];
  int const t = threadIdx.x;
  int half = 0;
  if (blockIdx.x < tiles)
    __pipeline_memcpy_async(&stage[0][t], &in[blockIdx.x * threads + t], sizeof(int));
  __pipeline_commit();
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (tile + grid < tiles)
      __pipeline_memcpy_async(&stage[1 - half][t], &in[(tile + grid) * threads + t], sizeof(int));
    __pipeline_commit();
    out[tile * threads + t] = stage[half][threads - 1 - t];
    half = 1 - half;
  }
}

// RIGHT three stages
__global__ void reverse_tiles(int const* in, int* out, int tiles) {
  __shared__ int stage[3][threads];
  int const t = threadIdx.x;
  auto const fetch = [&](int tile, int to) {
    if (tile < tiles) __pipeline_memcpy_async(stage[to] + t, in + tile * threads + t, sizeof(int));
    __pipeline_commit();
  };
  fetch(blockIdx.x, 0);
  fetch(blockIdx.x + grid, 1);
  int now = 0;
  for (int tile = blockIdx.x; tile < tiles; tile += grid) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(tile + 2 * grid, (now + 2) % 3);
    out[tile * threads + t] = stage[now][threads - 1 - t];
    now = (now + 1) % 3;
  }
}
