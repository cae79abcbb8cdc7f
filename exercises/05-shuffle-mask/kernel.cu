// A reduction by shuffles: every warp reduces its own elements, then the first warp the totals.
// README.md says what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile
constexpr unsigned all_lanes = 0xffffffff;

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void warp_totals_reduce(T const* in, T* out, int n, Op op) {
  constexpr int warps = threads / 32;
  __shared__ T totals[warps];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  T value = i < n ? in[i] : op.identity();
  for (int offset = 1; offset < 32; offset *= 2)
    value = op(value, __shfl_down_sync(all_lanes, value, offset));
  if (t % 32 == 0) totals[t / 32] = value;
  __syncthreads();  // totals[w] is the total of warp w
  if (t < warps) {  // there are only `warps` totals
    value = totals[t];
    for (int offset = 1; offset < warps; offset *= 2)
      value = op(value, __shfl_down_sync(all_lanes, value, offset));
    if (t == 0) out[blockIdx.x] = value;
  }
}
