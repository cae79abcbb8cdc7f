// Exclusive scan of a tile: the load shifts the elements right by one. README.md says what is wrong
// and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void shifted_scan(T const* in, T* out, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i - 1] : op.identity();  // the left neighbor of element i
  __syncthreads();                              // the tile is loaded
  for (int stride = 1; stride < threads; stride *= 2) {
    T sum = tile[t];
    if (t >= stride) sum = op(tile[t - stride], sum);
    __syncthreads();  // every thread has read
    tile[t] = sum;
    __syncthreads();  // tile[t] covers the 2·stride elements that end at t, fewer at the start
  }
  if (i < n) out[i] = tile[t];
}
