// Kogge–Stone inclusive scan of a tile, with its barriers in the branch that does the work.
// README.md says what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void branching_scan(T const* in, T* out, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : op.identity();
  __syncthreads();  // the tile is loaded
  for (int stride = 1; stride < threads; stride *= 2) {
    T sum = tile[t];
    if (t >= stride) sum = op(tile[t - stride], sum);
    __syncthreads();  // every thread has read
    tile[t] = sum;
    __syncthreads();  // every thread has written
  }
  if (i < n) out[i] = tile[t];
}
