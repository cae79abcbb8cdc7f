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
