// A tree in shared memory whose stride halves. README.md says for which operators it is wrong, and
// what to do.

constexpr int threads = 128;  // of a block, whose tile has twice as many elements

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void ordered_reduce(T const* in, T* out, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = (blockIdx.x * threads + t) * 2;
  T const near = i < n ? in[i] : op.identity();
  T const far = i + 1 < n ? in[i + 1] : op.identity();
  tile[t] = op(near, far);
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // tile[k] covers the pairs of `stride` threads if k is a multiple of stride
    int const k = 2 * stride * t;
    if (k < threads) tile[k] = op(tile[k], tile[k + stride]);
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
