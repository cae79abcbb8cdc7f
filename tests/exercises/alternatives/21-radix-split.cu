// RIGHT a scan of the zeros in shared memory
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ int zeros[threads];
  int const t = threadIdx.x, first = blockIdx.x * threads, i = first + t;
  unsigned const x = i < n ? in[i] : 0;
  int const is_zero = i < n && (x >> bit & 1) == 0 ? 1 : 0;
  zeros[t] = is_zero;
  __syncthreads();
  for (int stride = 1; stride < threads; stride *= 2) {
    int const sum = zeros[t] + (t >= stride ? zeros[t - stride] : 0);
    __syncthreads();
    zeros[t] = sum;
    __syncthreads();
  }
  int const all = zeros[threads - 1], before = zeros[t] - is_zero;
  if (i < n) out[first + (is_zero != 0 ? before : all + t - before)] = x;
}

// RIGHT through a tile, so that a warp writes 32 elements at once
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ unsigned sorted[threads];
  __shared__ int zeros_of[threads / 32];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * threads + t;
  unsigned const x = i < n ? in[i] : ~0u;
  bool const is_zero = i < n && (x >> bit & 1) == 0;
  unsigned const zeros = __ballot_sync(~0u, is_zero);
  if (lane == 0) zeros_of[warp] = __popc(zeros);
  __syncthreads();
  int before = __popc(zeros & ((1u << lane) - 1)), all = 0;
  for (int w = 0; w < threads / 32; ++w) {
    before += w < warp ? zeros_of[w] : 0;
    all += zeros_of[w];
  }
  sorted[is_zero ? before : all + t - before] = x;
  __syncthreads();
  if (i < n) out[i] = sorted[t];
}

// RIGHT sums of warps by shuffles
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ int of_warps[threads / 32];
  int const t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * threads + t;
  unsigned const x = i < n ? in[i] : 0;
  int const zero = i < n ? 1 - static_cast<int>(x >> bit & 1) : 0;
  int sum = zero;
  for (int stride = 1; stride < 32; stride *= 2) {
    int const before = __shfl_up_sync(~0u, sum, stride);
    if (lane >= stride) sum += before;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  int all = 0;
  for (int w = 0; w < threads / 32; ++w) {
    if (w < warp) sum += of_warps[w];
    all += of_warps[w];
  }
  int const before = sum - zero;
  if (i < n) out[blockIdx.x * threads + (zero == 1 ? before : all + t - before)] = x;
}

// POINTLESS one thread
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  int const first = blockIdx.x * threads;
  if (threadIdx.x != 0) return;
  int at = first;
  for (unsigned side = 0; side < 2; ++side)
    for (int i = first; i < first + threads && i < n; ++i)
      if ((in[i] >> bit & 1) == side) out[at++] = in[i];
}

// POINTLESS one thread moves, from shared memory
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ unsigned tile[threads], sorted[threads];
  int const t = threadIdx.x, first = blockIdx.x * threads;
  if (first + t < n) tile[t] = in[first + t];
  __syncthreads();
  if (t == 0) {
    int at = 0;
    for (unsigned side = 0; side < 2; ++side)
      for (int k = 0; k < threads && first + k < n; ++k)
        if ((tile[k] >> bit & 1) == side) sorted[at++] = tile[k];
  }
  __syncthreads();
  if (first + t < n) out[first + t] = sorted[t];
}

// POINTLESS every thread counts all
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ unsigned tile[threads];
  int const t = threadIdx.x, first = blockIdx.x * threads, m = min(threads, n - first);
  if (t < m) tile[t] = in[first + t];
  __syncthreads();
  if (t >= m) return;
  unsigned const mine = tile[t] >> bit & 1;
  int place = 0;
  for (int k = 0; k < m; ++k) {
    unsigned const other = tile[k] >> bit & 1;
    if (other < mine || (other == mine && k < t)) ++place;
  }
  out[first + place] = tile[t];
}

// POINTLESS one lane of each warp counts
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ int before[threads], totals[threads / 32];
  __shared__ unsigned bits[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  unsigned const x = i < n ? in[i] : ~0u;
  bits[t] = x >> bit & 1;
  __syncthreads();
  if (t % 32 == 0) {
    int zeros = 0;
    for (int k = t; k < t + 32; ++k) {
      before[k] = zeros;
      zeros += bits[k] == 0 ? 1 : 0;
    }
    totals[t / 32] = zeros;
  }
  __syncthreads();
  int all = 0, mine = before[t];
  for (int w = 0; w < threads / 32; ++w) {
    all += totals[w];
    if (w < t / 32) mine += totals[w];
  }
  if (i < n) out[blockIdx.x * threads + (bits[t] == 0 ? mine : all + t - mine)] = x;
}

// POINTLESS one warp of each block
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ unsigned tile[threads];
  int const lane = threadIdx.x, first = blockIdx.x * threads;
  if (lane < 32) {
    int zeros = 0;
    for (int k = lane; k < threads; k += 32) {
      tile[k] = first + k < n ? in[first + k] : ~0u;
      zeros += __popc(__ballot_sync(~0u, (tile[k] >> bit & 1) == 0));
    }
    int z = 0, o = zeros;
    for (int k = lane; k < threads; k += 32) {
      bool const one = (tile[k] >> bit & 1) != 0;
      unsigned const ones = __ballot_sync(~0u, one), before = (1u << lane) - 1;
      int const at = one ? o + __popc(ones & before) : z + __popc(~ones & before);
      if (first + k < n) out[first + at] = tile[k];
      o += __popc(ones);
      z += 32 - __popc(ones);
    }
  }
  __syncthreads();
}
