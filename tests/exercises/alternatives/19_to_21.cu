// Other solutions of exercises 19 to 21; ../solutions.py reads them.

// EXERCISE 19-matrix-product
// POINTLESS one warp of each block
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  __shared__ int left[side][side], above[side][side];
  int const x = threadIdx.x;
  if (threadIdx.y >= 2) return;
  int sums[side / 2] = {};
  int const column = blockIdx.x * side + x;
  for (int first = 0; first < n; first += side) {
    for (int y = threadIdx.y; y < side; y += 2) {
      int const row = blockIdx.y * side + y;
      left[y][x] = row < n && first + x < n ? a[row * n + first + x] : 0;
      above[y][x] = first + y < n && column < n ? b[(first + y) * n + column] : 0;
    }
    __syncwarp();
    for (int y = threadIdx.y; y < side; y += 2)
      for (int k = 0; k < side; ++k) sums[y / 2] += left[y][k] * above[k][x];
    __syncwarp();
  }
  for (int y = threadIdx.y; y < side; y += 2)
    if (int const row = blockIdx.y * side + y; row < n && column < n)
      c[row * n + column] = sums[y / 2];
}

// POINTLESS no tiles
__global__ void multiply(int const* a, int const* b, int* c, int n) {
  int const row = blockIdx.y * side + threadIdx.y, column = blockIdx.x * side + threadIdx.x;
  int sum = 0;
  if (row >= n || column >= n) return;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// EXERCISE 20-segmented-scan
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

// EXERCISE 21-radix-split
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
