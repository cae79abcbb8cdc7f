// A tree in shared memory whose last five steps run in one warp and have no barrier. README.md says
// what is wrong and what to do.

constexpr int threads = 128;  // of a block, whose tile has twice as many elements

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void last_warp_reduce(T const* in, T* out, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * 2 * threads + t;
  T const near = i < n ? in[i] : op.identity();
  T const far = i + threads < n ? in[i + threads] : op.identity();
  tile[t] = op(near, far);
  for (int stride = threads / 2; stride >= 32; stride /= 2) {
    __syncthreads();  // the first 2 * stride elements of the tile cover all of it
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t >= 32) return;
  for (int stride = 16; stride >= 1; stride /= 2) {  // a warp runs in lockstep: no need to wait
    if (t < stride) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
