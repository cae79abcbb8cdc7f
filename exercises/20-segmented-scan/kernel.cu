// A segmented scan in one block. README.md says what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

// out[i] is the sum of in[j] ... in[i], where j is the last element up to i with heads[j] != 0, or
// the first of the tile.
__global__ void segmented_scan(int const* in, int const* heads, int* out, int n) {
  __shared__ int sums[threads], flags[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  sums[t] = i < n ? in[i] : 0;
  flags[t] = i < n ? heads[i] : 0;
  __syncthreads();  // the tile is loaded
  for (int stride = 1; stride < threads; stride *= 2) {
    int sum = sums[t];
    if (t >= stride && flags[t] == 0) sum += sums[t - stride];
    __syncthreads();  // every thread has read
    sums[t] = sum;
    __syncthreads();  // every thread has written
  }
  if (i < n) out[i] = sums[t];
}
