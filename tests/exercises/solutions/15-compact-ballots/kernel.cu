// Stream compaction, right but slow: an atomic for every kept element. README.md says what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

__device__ bool is_kept(int x) {
  return x % 3 == 0;
}

// Writes the kept elements to out, in any order, and adds their number to *count.
__global__ void compact(int const* in, int* out, int n, int* count) {
  int const i = blockIdx.x * threads + threadIdx.x;
  int const lane = threadIdx.x % 32;
  int const x = i < n ? in[i] : 1;
  bool const keep = i < n && is_kept(x);
  unsigned const kept = __ballot_sync(0xffffffff, keep);  // a bit for each lane
  int begin = 0;
  if (lane == 0 && kept != 0) begin = atomicAdd(count, __popc(kept));
  begin = __shfl_sync(0xffffffff, begin, 0);
  if (keep) out[begin + __popc(kept & ((1u << lane) - 1))] = x;
}
