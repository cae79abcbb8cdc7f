// A reduction by shuffles of any number of elements. README.md says what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

template <class T, class Op>
__device__ T total_of_warp(T value, Op op) {
  for (int offset = 1; offset < 32; offset *= 2)
    value = op(value, __shfl_down_sync(0xffffffff, value, offset));
  return value;
}

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void filled_reduce(T const* in, T* out, int n, Op op) {
  __shared__ T totals[threads / 32];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  T value = 0;  // what threads beyond n contribute
  if (i < n) value = in[i];
  value = total_of_warp(value, op);
  if (t % 32 == 0) totals[t / 32] = value;
  __syncthreads();  // totals[w] is the total of warp w
  if (t < 32) {
    value = 0;
    if (t < threads / 32) value = totals[t];
    value = total_of_warp(value, op);
    if (t == 0) out[blockIdx.x] = value;
  }
}
