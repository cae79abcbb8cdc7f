// Kogge–Stone inclusive scan of a tile in one buffer, with one barrier per step. README.md says
// what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void in_place_scan(T const* in, T* out, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : op.identity();
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // every thread has done the previous step
    if (t >= stride) tile[t] = op(tile[t - stride], tile[t]);
  }
  if (i < n) out[i] = tile[t];
}
