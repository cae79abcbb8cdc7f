// A histogram with a private copy in every block. README.md says what is wrong and what to do.

constexpr int threads = 128, grid = 4, bins = 64;

// Adds to counts[b] how often b occurs among n elements; every thread takes several.
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ int mine[bins];
  int const t = threadIdx.x;
  for (int i = blockIdx.x * threads + t; i < n; i += grid * threads) mine[in[i]]++;
  if (t < bins) atomicAdd(&counts[t], mine[t]);
}
