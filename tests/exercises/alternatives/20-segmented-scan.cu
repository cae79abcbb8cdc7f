// RIGHT two buffers and one barrier a step
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ int sums[2][threads], flags[2][threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  sums[0][t] = i < n ? in[i] : 0;
  flags[0][t] = i < n ? heads[i] : 0;
  __syncthreads();
  int from = 0;
  for (int stride = 1; stride < threads; stride *= 2, from = 1 - from) {
    bool const joins = t >= stride;
    int const flag = flags[from][t];
    sums[1 - from][t] = sums[from][t] + (joins && flag == 0 ? sums[from][t - stride] : 0);
    flags[1 - from][t] = flag | (joins ? flags[from][t - stride] : 0);
    __syncthreads();
  }
  if (i < n) out[i] = sums[from][t];
}

// RIGHT shuffles within warps
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ int totals[threads / 32], opens[threads / 32];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * threads + t;
  int sum = i < n ? in[i] : 0, flag = i < n ? heads[i] : 0;
  for (int stride = 1; stride < 32; stride *= 2) {
    int const before = __shfl_up_sync(~0u, sum, stride), open = __shfl_up_sync(~0u, flag, stride);
    if (lane >= stride) {
      if (flag == 0) sum += before;
      flag |= open;
    }
  }
  if (lane == 31) totals[warp] = sum, opens[warp] = flag;
  __syncthreads();
  for (int w = warp - 1; w >= 0 && flag == 0; --w) {
    sum += totals[w];
    flag = opens[w];
  }
  if (i < n) out[i] = sum;
}

// RIGHT pairs of a sum and a flag
struct pair {
  int sum, flag;
};
__device__ pair joined(pair const& a, pair const& b) {
  return {b.flag != 0 ? b.sum : a.sum + b.sum, a.flag | b.flag};
}
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ pair tile[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  pair mine = i < n ? pair{in[i], heads[i]} : pair{0, 0};
  tile[t] = mine;
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    if (t >= stride) mine = joined(tile[t - stride], mine);
    __syncthreads();
    tile[t] = mine;
  }
  if (i < n) out[i] = mine.sum;
}

// POINTLESS one thread
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ int sums[threads], flags[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  sums[t] = i < n ? in[i] : 0;
  flags[t] = i < n ? heads[i] : 0;
  __syncthreads();
  if (t == 0)
    for (int k = 1; k < threads; ++k)
      if (flags[k] == 0) sums[k] += sums[k - 1];
  __syncthreads();
  if (i < n) out[i] = sums[t];
}

// POINTLESS every thread goes back to its head
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ int tile[threads], flags[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : 0;
  flags[t] = i < n ? heads[i] : 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k <= t; ++k) sum = flags[k] != 0 ? tile[k] : sum + tile[k];
  if (i < n) out[i] = sum;
}

// POINTLESS from global memory
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  if (i >= n) return;
  int sum = in[i];
  for (int k = i; k > i - t && heads[k] == 0; --k) sum += in[k - 1];
  out[i] = sum;
}

// POINTLESS two threads
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ int sums[threads], flags[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t, half = threads / 2;
  sums[t] = i < n ? in[i] : 0;
  flags[t] = i < n ? heads[i] : 0;
  __syncthreads();
  if (t < 2)
    for (int k = t * half + 1; k < (t + 1) * half; ++k) {
      if (flags[k] == 0) sums[k] += sums[k - 1];
      flags[k] |= flags[k - 1];
    }
  __syncthreads();
  bool const joins = t >= half && flags[t] == 0;
  if (i < n) out[i] = sums[t] + (joins ? sums[half - 1] : 0);
}
