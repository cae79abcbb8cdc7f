// The split of radix sort. README.md says what to write.

constexpr int threads = 256;  // of a block, which are the elements of its tile

// Within each tile, moves the elements whose bit `bit` is 0 to the front and the others after
// them. Both keep their order.
__global__ void split(unsigned const* in, unsigned* out, int n, int bit) {
  __shared__ int zeros_of[threads / 32], ones_of[threads / 32];
  int const t = threadIdx.x, lane = t % 32, warp = t / 32;
  int const i = blockIdx.x * threads + t;
  unsigned const x = i < n ? in[i] : 0;
  bool const is_one = (x >> bit & 1) != 0;
  unsigned const ones = __ballot_sync(0xffffffff, i < n && is_one);
  unsigned const zeros = __ballot_sync(0xffffffff, i < n && !is_one);
  if (lane == 0) {
    zeros_of[warp] = __popc(zeros);
    ones_of[warp] = __popc(ones);
  }
  __syncthreads();  // both counts of every warp
  int zeros_before = 0, ones_before = 0, all_zeros = 0;
  for (int w = 0; w < threads / 32; ++w) {
    if (w < warp) zeros_before += zeros_of[w], ones_before += ones_of[w];
    all_zeros += zeros_of[w];
  }
  unsigned const lanes_before = (1u << lane) - 1;
  int const place = is_one ? all_zeros + ones_before + __popc(ones & lanes_before)
                           : zeros_before + __popc(zeros & lanes_before);
  if (i < n) out[blockIdx.x * threads + place] = x;
}
