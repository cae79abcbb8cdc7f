// A reduction by shuffles that assumes whole warps. README.md says what is wrong and what to do.

// Every block, of any size, adds up its own blockDim.x elements.
__global__ void sum_of_blocks(int const* in, int* out, int n) {
  __shared__ int totals[32];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32, warps = (blockDim.x + 31) / 32;
  int const i = blockIdx.x * blockDim.x + t;
  int const lanes = min(32, static_cast<int>(blockDim.x) - warp * 32);  // of this warp
  unsigned const mask = 0xffffffff >> (32 - lanes);
  int value = i < n ? in[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) {
    int const other = __shfl_sync(mask, value, lane + offset < lanes ? lane + offset : lane);
    if (lane + offset < lanes) value += other;
  }
  if (lane == 0) totals[warp] = value;
  __syncthreads();  // totals[w] is the sum of warp w
  if (warp == 0) {
    value = lane < warps ? totals[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2) {
      int const other = __shfl_sync(mask, value, lane + offset < lanes ? lane + offset : lane);
      if (lane + offset < lanes) value += other;
    }
    if (lane == 0) out[blockIdx.x] = value;
  }
}
