// Other solutions of exercises 15 to 18; ../solutions.py reads them.

// EXERCISE 15-compact-ballots
// RIGHT the first lane that keeps its element reserves for all
__global__ void compact(int const* in, int* out, int n, int* count) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned const lane = threadIdx.x & 31;
  int const x = i < n ? in[i] : 1;
  bool const keep = is_kept(x);
  unsigned const kept = __ballot_sync(~0u, keep);
  if (kept == 0) return;
  int const leader = __ffs(kept) - 1;
  int begin = 0;
  if (lane == leader) begin = atomicAdd(count, __popc(kept));
  begin = __shfl_sync(~0u, begin, leader);
  if (keep) out[begin + __popc(kept & ~(~0u << lane))] = x;
}

// RIGHT positions by a scan of shuffles
__global__ void compact(int const* in, int* out, int n, int* count) {
  int const i = blockIdx.x * threads + threadIdx.x;
  int const lane = threadIdx.x % 32;
  int const x = i < n ? in[i] : 1;
  int const mine = is_kept(x) ? 1 : 0;
  int sum = mine;
  for (int stride = 1; stride < 32; stride *= 2) {
    int const before = __shfl_up_sync(0xffffffff, sum, stride);
    if (lane >= stride) sum += before;
  }
  int begin = 0;
  if (lane == 31 && sum != 0) begin = atomicAdd(count, sum);
  begin = __shfl_sync(0xffffffff, begin, 31);
  if (mine != 0) out[begin + sum - 1] = x;
}

// RIGHT one atomic for the block
__global__ void compact(int const* in, int* out, int n, int* count) {
  __shared__ int before[threads / 32], begin;
  int const t = threadIdx.x, lane = t % 32, warp = t / 32;
  int const i = blockIdx.x * threads + t;
  int const x = i < n ? in[i] : 1;
  unsigned const kept = __ballot_sync(0xffffffff, is_kept(x));
  if (lane == 0) before[warp] = __popc(kept);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int w = 0; w < threads / 32; ++w) {
      int const mine = before[w];
      before[w] = sum;
      sum += mine;
    }
    begin = atomicAdd(count, sum);
  }
  __syncthreads();
  if (is_kept(x)) out[begin + before[warp] + __popc(kept & ((1u << lane) - 1))] = x;
}

// POINTLESS one lane of each warp
__global__ void compact(int const* in, int* out, int n, int* count) {
  int const first = blockIdx.x * threads + threadIdx.x;
  if (threadIdx.x % 32 != 0) return;
  int kept = 0;
  for (int i = first; i < first + 32 && i < n; ++i) kept += is_kept(in[i]) ? 1 : 0;
  int at = kept == 0 ? 0 : atomicAdd(count, kept);
  for (int i = first; i < first + 32 && i < n; ++i)
    if (is_kept(in[i])) out[at++] = in[i];
}

// POINTLESS one thread for the block, from shared memory
__global__ void compact(int const* in, int* out, int n, int* count) {
  __shared__ int tile[threads];
  int const i = blockIdx.x * threads + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int kept = 0;
  for (int k = 0; k < threads; ++k) kept += is_kept(tile[k]) ? 1 : 0;
  int at = atomicAdd(count, kept);
  for (int k = 0; k < threads; ++k)
    if (is_kept(tile[k])) out[at++] = tile[k];
}

// POINTLESS every thread counts all before it
__global__ void compact(int const* in, int* out, int n, int* count) {
  __shared__ int tile[threads], begin;
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : 1;
  __syncthreads();
  int before = 0, all = 0;
  for (int k = 0; k < threads; ++k) {
    int const one = is_kept(tile[k]) ? 1 : 0;
    if (k < t) before += one;
    all += one;
  }
  if (t == 0) begin = atomicAdd(count, all);
  __syncthreads();
  if (is_kept(tile[t])) out[begin + before] = tile[t];
}

// POINTLESS an atomic on shared memory for every element
__global__ void compact(int const* in, int* out, int n, int* count) {
  __shared__ int mine, begin;
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  if (t == 0) mine = 0;
  __syncthreads();
  int const x = i < n ? in[i] : 1;
  int const at = is_kept(x) ? atomicAdd(&mine, 1) : 0;
  __syncthreads();
  if (t == 0) begin = atomicAdd(count, mine);
  __syncthreads();
  if (is_kept(x)) out[begin + at] = x;
}

// POINTLESS one warp for the grid
__global__ void compact(int const* in, int* out, int n, int* count) {
  int const lane = threadIdx.x;
  if (blockIdx.x != 0 || lane >= 32) return;
  for (int first = 0; first < n; first += 32) {
    int const x = first + lane < n ? in[first + lane] : 1;
    unsigned const kept = __ballot_sync(0xffffffff, is_kept(x));
    int begin = 0;
    if (lane == 0 && kept != 0) begin = atomicAdd(count, __popc(kept));
    begin = __shfl_sync(0xffffffff, begin, 0);
    if (is_kept(x)) out[begin + __popc(kept & ((1u << lane) - 1))] = x;
  }
}

// EXERCISE 16-private-histogram
// RIGHT a copy for each warp
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ int of_warps[threads / 32][bins];
  int const t = threadIdx.x;
  for (int b = t; b < threads / 32 * bins; b += threads) of_warps[b / bins][b % bins] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + t; i < n; i += grid * threads)
    atomicAdd(&of_warps[t / 32][in[i]], 1);
  __syncthreads();
  if (t < bins) {
    int sum = 0;
    for (int w = 0; w < threads / 32; ++w) sum += of_warps[w][t];
    atomicAdd(counts + t, sum);
  }
}

// RIGHT the block adds up with no atomic where a bin is empty
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ unsigned mine[bins];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  int const step = gridDim.x * blockDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += step)
    atomicInc(&mine[in[i]], ~0u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&counts[b], static_cast<int>(mine[b]));
}

// POINTLESS a thread for each bin reads everything
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  int const t = threadIdx.x;
  if (t >= bins) return;
  int sum = 0;
  for (int first = blockIdx.x * threads; first < n; first += grid * threads)
    for (int i = first; i < first + threads && i < n; ++i) sum += in[i] == t ? 1 : 0;
  atomicAdd(&counts[t], sum);
}

// POINTLESS a thread for each bin reads a tile
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ int tile[threads];
  int const t = threadIdx.x;
  int sum = 0;
  for (int first = blockIdx.x * threads; first < n; first += grid * threads) {
    tile[t] = first + t < n ? in[first + t] : -1;
    __syncthreads();
    if (t < bins)
      for (int k = 0; k < threads; ++k) sum += tile[k] == t ? 1 : 0;
    __syncthreads();
  }
  if (t < bins) atomicAdd(&counts[t], sum);
}

// POINTLESS no private copy
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += grid * threads)
    atomicAdd(&counts[in[i]], 1);
}

// EXERCISE 17-transpose
// RIGHT the tile is written in columns
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side * (side + 1)];
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
#pragma unroll
  for (int k = 0; k < side / rows; ++k) {
    int const r = threadIdx.y + k * rows, row = blockIdx.y * side + r;
    if (x < width && row < height) tile[t * (side + 1) + r] = in[row * width + x];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < side / rows; ++k) {
    int const r = threadIdx.y + k * rows, column = blockIdx.x * side + r;
    if (column < width && y < height) out[column * height + y] = tile[r * (side + 1) + t];
  }
}

// RIGHT rotated rows
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side];
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
  for (int r = threadIdx.y; r < side; r += rows)
    if (int const row = blockIdx.y * side + r; x < width && row < height)
      tile[r][(t + r) % side] = in[row * width + x];
  __syncthreads();
  for (int r = threadIdx.y; r < side; r += rows)
    if (int const column = blockIdx.x * side + r; column < width && y < height)
      out[column * height + y] = tile[t][(r + t) % side];
}

// POINTLESS no shared memory
__global__ void transpose(float const* in, float* out, int width, int height) {
  int const x = blockIdx.x * side + threadIdx.x;
  for (int r = threadIdx.y; r < side; r += rows) {
    int const y = blockIdx.y * side + r;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}

// POINTLESS one warp of each block
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];
  if (threadIdx.y != 0) return;
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
  for (int r = 0; r < side; ++r)
    if (int const row = blockIdx.y * side + r; x < width && row < height)
      tile[r][t] = in[row * width + x];
  __syncwarp();
  for (int r = 0; r < side; ++r)
    if (int const column = blockIdx.x * side + r; column < width && y < height)
      out[column * height + y] = tile[t][r];
}

// POINTLESS one thread
__global__ void transpose(float const* in, float* out, int width, int height) {
  if (threadIdx.x != 0 || threadIdx.y != 0) return;
  for (int r = 0; r < side; ++r)
    for (int c = 0; c < side; ++c)
      if (int const x = blockIdx.x * side + c, y = blockIdx.y * side + r; x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

// POINTLESS one block for the grid
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];
  if (blockIdx.x != 0 || blockIdx.y != 0) return;
  int const t = threadIdx.x;
  for (int down = 0; down < height; down += side)
    for (int across = 0; across < width; across += side) {
      for (int r = threadIdx.y; r < side; r += rows)
        if (across + t < width && down + r < height)
          tile[r][t] = in[(down + r) * width + across + t];
      __syncthreads();
      for (int r = threadIdx.y; r < side; r += rows)
        if (across + r < width && down + t < height)
          out[(across + r) * height + down + t] = tile[t][r];
      __syncthreads();
    }
}

// POINTLESS padding, but the tile is read twice from global memory
__global__ void transpose(float const* in, float* out, int width, int height) {
  __shared__ float tile[side][side + 1];
  int const t = threadIdx.x, x = blockIdx.x * side + t, y = blockIdx.y * side + t;
  for (int again = 0; again < 2; ++again)
    for (int r = threadIdx.y; r < side; r += rows)
      if (int const row = blockIdx.y * side + r; x < width && row < height)
        tile[r][t] = in[row * width + x];
  __syncthreads();
  for (int r = threadIdx.y; r < side; r += rows)
    if (int const column = blockIdx.x * side + r; column < width && y < height)
      out[column * height + y] = tile[t][r];
}

// EXERCISE 18-convolution
// RIGHT a loop loads the tile and its halo
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const first = blockIdx.x * threads - radius;
  for (int k = threadIdx.x; k < threads + 2 * radius; k += threads)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncthreads();
  int const i = blockIdx.x * threads + threadIdx.x;
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[threadIdx.x + k];
  if (i < n) out[i] = sum;
}

// RIGHT the last threads load the halo
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int halo[2][radius], tile[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : 0;
  if (t >= threads - 2 * radius) {
    int const k = t - (threads - 2 * radius), begin = blockIdx.x * threads;
    int const at = k < radius ? begin - radius + k : begin + threads + k - radius;
    halo[k / radius][k % radius] = at >= 0 && at < n ? in[at] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    int const at = t + k;
    int const x = at < 0 ? halo[0][at + radius] : at < threads ? tile[at] : halo[1][at - threads];
    sum += w.of[k + radius] * x;
  }
  if (i < n) out[i] = sum;
}

// RIGHT unrolled
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i >= radius && i - radius < n ? in[i - radius] : 0;
  if (t < 2 * radius) {
    int const far = i + threads - radius;
    tile[t + threads] = far < n ? in[far] : 0;
  }
  __syncthreads();
  int const* const x = tile + t;
  if (i < n)
    out[i] = w.of[0] * x[0] + w.of[1] * x[1] + w.of[2] * x[2] + w.of[3] * x[3] + w.of[4] * x[4] +
             w.of[5] * x[5] + w.of[6] * x[6];
}

// POINTLESS no tile
__global__ void convolve(int const* in, int* out, int n, weights w) {
  int const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) {
    int const at = i + k - radius;
    if (at >= 0 && at < n) sum += w.of[k] * in[at];
  }
  out[i] = sum;
}

// POINTLESS one warp of each block
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const t = threadIdx.x, first = blockIdx.x * threads - radius;
  if (t >= 32) return;
  for (int k = t; k < threads + 2 * radius; k += 32)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncwarp();
  for (int i = t; i < threads; i += 32) {
    int sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[i + k];
    if (first + radius + i < n) out[first + radius + i] = sum;
  }
}

// POINTLESS every second lane
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const t = threadIdx.x, first = blockIdx.x * threads - radius;
  for (int k = t; k < threads + 2 * radius; k += threads)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncthreads();
  if (t % 2 != 0) return;
  for (int i = t; i < t + 2; ++i) {
    int sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[i + k];
    if (first + radius + i < n) out[first + radius + i] = sum;
  }
}
