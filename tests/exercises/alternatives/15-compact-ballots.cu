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
