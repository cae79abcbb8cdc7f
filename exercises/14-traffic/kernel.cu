// Scan-scan-add, right, with 4N accesses to global memory. README.md says how few are possible.

constexpr int threads = 128;  // of a block, which are the elements of its tile

// op(earlier, later) combines two elements; op.identity() changes no element.
// The inclusive scan of the block's elements: every warp scans its own, then adds the totals of the
// warps before it.
template <class T, class Op>
__device__ T block_scan(T mine, Op op) {
  __shared__ T totals[threads / 32];
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 1; offset < 32; offset *= 2) {
    T const earlier = __shfl_up_sync(0xffffffff, mine, offset);
    if (lane >= offset) mine = op(earlier, mine);
  }
  if (lane == 31) totals[warp] = mine;
  __syncthreads();  // totals[w] is the total of warp w
  for (int w = warp - 1; w >= 0; --w) mine = op(totals[w], mine);
  return mine;
}

// totals[b] becomes the total of tile b.
template <class T, class Op>
__global__ void scan_every_tile(T const* in, T* out, T* totals, int n, Op op) {
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  T const mine = block_scan(i < n ? in[i] : op.identity(), op);
  if (i < n) out[i] = mine;
  if (t == threads - 1) totals[blockIdx.x] = mine;
}

// prefixes[b] covers the tiles up to and including b.
template <class T, class Op>
__global__ void add_to_every_tile(T* out, T const* prefixes, int n, Op op) {
  if (blockIdx.x == 0) return;
  int const i = blockIdx.x * threads + threadIdx.x;
  if (i < n) out[i] = op(prefixes[blockIdx.x - 1], out[i]);
}

// The inclusive scan of n elements in device memory.
template <class T, class Op>
void scan(T const* in, T* out, int n, Op op) {
  if (n == 0) return;
  int const tiles = (n + threads - 1) / threads;
  T *totals = nullptr, *prefixes = nullptr;
  cudaMalloc(&totals, tiles * sizeof(T));
  scan_every_tile<<<tiles, threads>>>(in, out, totals, n, op);
  if (tiles > 1) {
    cudaMalloc(&prefixes, tiles * sizeof(T));
    scan(totals, prefixes, tiles, op);
    add_to_every_tile<<<tiles, threads>>>(out, prefixes, n, op);
  }
  cudaFree(totals);
  cudaFree(prefixes);
}
