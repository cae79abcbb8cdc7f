// RIGHT a copy for each warp
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ int of_warps[threads / 32][bins];
  int const t = threadIdx.x;
  for (int b = t; b < threads / 32 * bins; b += threads) of_warps[b / bins][b % bins] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + t; i < n; i += grid * threads)
    atomicAdd(&of_warps[t / 32][in[i]], 1);
  __syncthreads();
  if (t < bins) {
    int sum = 0;
    for (int w = 0; w < threads / 32; ++w) sum += of_warps[w][t];
    atomicAdd(counts + t, sum);
  }
}

// RIGHT the block adds up with no atomic where a bin is empty
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ unsigned mine[bins];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  int const step = gridDim.x * blockDim.x;
  for (int i = blockDim.x * blockIdx.x + threadIdx.x; i < n; i += step)
    atomicInc(&mine[in[i]], ~0u);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (mine[b] > 0) atomicAdd(&counts[b], static_cast<int>(mine[b]));
}

// POINTLESS a thread for each bin reads everything
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  int const t = threadIdx.x;
  if (t >= bins) return;
  int sum = 0;
  for (int first = blockIdx.x * threads; first < n; first += grid * threads)
    for (int i = first; i < first + threads && i < n; ++i) sum += in[i] == t ? 1 : 0;
  atomicAdd(&counts[t], sum);
}

// POINTLESS a thread for each bin reads a tile
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ int tile[threads];
  int const t = threadIdx.x;
  int sum = 0;
  for (int first = blockIdx.x * threads; first < n; first += grid * threads) {
    tile[t] = first + t < n ? in[first + t] : -1;
    __syncthreads();
    if (t < bins)
      for (int k = 0; k < threads; ++k) sum += tile[k] == t ? 1 : 0;
    __syncthreads();
  }
  if (t < bins) atomicAdd(&counts[t], sum);
}

// POINTLESS no private copy
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += grid * threads)
    atomicAdd(&counts[in[i]], 1);
}
