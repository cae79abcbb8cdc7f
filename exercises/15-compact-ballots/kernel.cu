// Stream compaction, right but slow: an atomic for every kept element. README.md says what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

__device__ bool is_kept(int x) {
  return x % 3 == 0;
}

// Writes the kept elements to out, in any order, and adds their number to *count.
__global__ void compact(int const* in, int* out, int n, int* count) {
  int const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  int const x = in[i];
  if (is_kept(x)) out[atomicAdd(count, 1)] = x;
}
