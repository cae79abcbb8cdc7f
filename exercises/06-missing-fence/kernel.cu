// A chained scan with a fence on the writer's side only. README.md says what is wrong and what to
// do.

constexpr int threads = 64;  // of a block, which are the elements of its tile

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

template <class T, class Op>
__global__ void flag_scan(T const* in, T* out, int n, T* carries, int* flags, int* next_tile,
                          Op op) {
  __shared__ int ticket;
  __shared__ T carry;
  int const t = threadIdx.x;
  if (t == 0) ticket = atomicAdd(next_tile, 1);
  __syncthreads();  // the block knows its tile
  int const tile = ticket;
  int const i = tile * threads + t;
  T mine = block_scan(i < n ? in[i] : op.identity(), op);
  if (t == threads - 1) {
    T prefix = mine;
    if (tile > 0) {
      while (atomicAdd(&flags[tile - 1], 0) == 0) {
      }
      carry = carries[tile - 1];
      prefix = op(carry, mine);
    }
    carries[tile] = prefix;
    __threadfence();  // release: a reader that sees the flag sees the carry
    atomicAdd(&flags[tile], 1);
  }
  __syncthreads();  // the carry is in shared memory
  if (tile > 0) mine = op(carry, mine);
  if (i < n) out[i] = mine;
}

// The inclusive scan of n elements in device memory.
template <class T, class Op>
void scan(T const* in, T* out, int n, Op op) {
  if (n == 0) return;
  int const tiles = (n + threads - 1) / threads;
  T* carries = nullptr;
  int *flags = nullptr, *next_tile = nullptr;
  cudaMalloc(&carries, tiles * sizeof(T));
  cudaMalloc(&flags, tiles * sizeof(int));
  cudaMalloc(&next_tile, sizeof(int));
  cudaMemset(flags, 0, tiles * sizeof(int));
  cudaMemset(next_tile, 0, sizeof(int));
  flag_scan<<<tiles, threads>>>(in, out, n, carries, flags, next_tile, op);
  cudaFree(carries);
  cudaFree(flags);
  cudaFree(next_tile);
}
