// The kernels that the examples of the help pages launch by name.
__global__ void scale(float const* in, float* out, int n) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

template <class T, int threads>
__global__ void scan(T const* in, T* out, int n) {
  __shared__ T tile[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : T{};
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    T const left = t >= stride ? tile[t - stride] : T{};
    __syncthreads();
    tile[t] += left;
  }
  if (i < n) out[i] = tile[t];
}

__global__ void transpose(float const* in, float* out, int n) {
  int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < n) out[x * n + y] = in[y * n + x];
}
