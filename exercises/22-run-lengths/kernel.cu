// Run-length encoding in one block. README.md says what is wrong and what to do.

constexpr int threads = 512;  // of the block; n is at most that

// Run r has the value values[r] and the length lengths[r]; *runs is their number.
__global__ void encode(int const* in, int n, int* values, int* lengths, int* runs) {
  __shared__ int scan[threads], starts[threads + 1];
  int const t = threadIdx.x;
  bool const is_head = t < n && in[t] != in[t - 1];
  scan[t] = is_head ? 1 : 0;
  __syncthreads();  // the flags of the heads
  for (int stride = 1; stride < threads; stride *= 2) {
    int const sum = scan[t] + (t >= stride ? scan[t - stride] : 0);
    __syncthreads();  // every thread has read
    scan[t] = sum;
    __syncthreads();  // scan[t] counts the heads among the 2·stride elements up to t
  }
  int const run = scan[t] - 1;  // the run of element t
  if (is_head) {
    starts[run] = t;
    values[run] = in[t];
    lengths[run] = starts[run + 1] - t;
  }
  if (t == threads - 1) *runs = scan[t];
}
