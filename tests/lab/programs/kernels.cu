// Kernels without a main: the tool launches them by name.
struct node {
  int key;
  float weight;
};

__constant__ float factor[2] = {1.5f, 2.0f};

__global__ void scale(float const* in, float* out, int n, float by) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * by;
}

template <class T, int threads>
__global__ void __launch_bounds__(threads) scan(T const* in, T* out, int n) {
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

// The second barrier is missing: a thread may read what another one has already updated.
__global__ void racing_scan(int const* in, int* out) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  tile[t] = in[t];
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    int const left = t >= stride ? tile[t - stride] : 0;
    tile[t] += left;
  }
  out[t] = tile[t];
}

__global__ void beyond(float* out) {
  out[threadIdx.x] = 1.25f;
  __syncthreads();
  if (threadIdx.x == 3) out[threadIdx.x + 64] = 2.5f;
}

__global__ void order_matters(int* out) {
  if (threadIdx.x == 0) atomicExch(out, blockIdx.x);
}

__global__ void types(node const* nodes, double* sums, unsigned char* bytes) {
  extern __shared__ double part[];
  int const t = threadIdx.x;
  part[t] = nodes[t].weight * factor[t % 2];
  float const other = __shfl_xor_sync(0xffffffff, nodes[t].weight, 1);
  sums[t] = part[t] + other;
  bytes[t] = static_cast<unsigned char>(nodes[t].key + 200);
}

__global__ void corners(int* out) {
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +
      threadIdx.x] = threadIdx.y * 10 + threadIdx.x;
}
