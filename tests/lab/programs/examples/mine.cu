// A scan of one block, to be compared with the textbook's.
__global__ void scan(int const* in, int* out, int n) {
  __shared__ int tile[1024];
  int const t = threadIdx.x;
  tile[t] = t < n ? in[t] : 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    int const left = t >= stride ? tile[t - stride] : 0;
    __syncthreads();
    tile[t] += left;
  }
  if (t < n) out[t] = tile[t];
}
