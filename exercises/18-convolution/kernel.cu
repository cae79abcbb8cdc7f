// A tiled convolution that forgets its neighbors. README.md says what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile
constexpr int radius = 3;

struct weights {
  int of[2 * radius + 1];
};

// out[i] is the sum of w.of[k] * in[i + k - radius]; elements outside of the array are zero.
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : 0;
  __syncthreads();  // the tile is loaded
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) {
    int const at = t + k - radius;
    if (at >= 0 && at < threads) sum += w.of[k] * tile[at];
  }
  if (i < n) out[i] = sum;
}
