// A tiled convolution that forgets its neighbors. README.md says what is wrong and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile
constexpr int radius = 3;

struct weights {
  int of[2 * radius + 1];
};

// out[i] is the sum of w.of[k] * in[i + k - radius]; elements outside of the array are zero.
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];  // the tile between two halos
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[radius + t] = i < n ? in[i] : 0;
  if (t < radius) {
    tile[t] = i >= radius ? in[i - radius] : 0;
    tile[radius + threads + t] = i + threads < n ? in[i + threads] : 0;
  }
  __syncthreads();  // tile[k] is element k - radius of the tile, zero outside of the array
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[t + k];
  if (i < n) out[i] = sum;
}
