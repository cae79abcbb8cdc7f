// RIGHT a loop loads the tile and its halo
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const first = blockIdx.x * threads - radius;
  for (int k = threadIdx.x; k < threads + 2 * radius; k += threads)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncthreads();
  int const i = blockIdx.x * threads + threadIdx.x;
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[threadIdx.x + k];
  if (i < n) out[i] = sum;
}

// RIGHT the last threads load the halo
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int halo[2][radius], tile[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : 0;
  if (t >= threads - 2 * radius) {
    int const k = t - (threads - 2 * radius), begin = blockIdx.x * threads;
    int const at = k < radius ? begin - radius + k : begin + threads + k - radius;
    halo[k / radius][k % radius] = at >= 0 && at < n ? in[at] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    int const at = t + k;
    int const x = at < 0 ? halo[0][at + radius] : at < threads ? tile[at] : halo[1][at - threads];
    sum += w.of[k + radius] * x;
  }
  if (i < n) out[i] = sum;
}

// RIGHT unrolled
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i >= radius && i - radius < n ? in[i - radius] : 0;
  if (t < 2 * radius) {
    int const far = i + threads - radius;
    tile[t + threads] = far < n ? in[far] : 0;
  }
  __syncthreads();
  int const* const x = tile + t;
  if (i < n)
    out[i] = w.of[0] * x[0] + w.of[1] * x[1] + w.of[2] * x[2] + w.of[3] * x[3] + w.of[4] * x[4] +
             w.of[5] * x[5] + w.of[6] * x[6];
}

// POINTLESS no tile
__global__ void convolve(int const* in, int* out, int n, weights w) {
  int const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) {
    int const at = i + k - radius;
    if (at >= 0 && at < n) sum += w.of[k] * in[at];
  }
  out[i] = sum;
}

// POINTLESS one warp of each block
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const t = threadIdx.x, first = blockIdx.x * threads - radius;
  if (t >= 32) return;
  for (int k = t; k < threads + 2 * radius; k += 32)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncwarp();
  for (int i = t; i < threads; i += 32) {
    int sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[i + k];
    if (first + radius + i < n) out[first + radius + i] = sum;
  }
}

// POINTLESS every second lane
__global__ void convolve(int const* in, int* out, int n, weights w) {
  __shared__ int tile[threads + 2 * radius];
  int const t = threadIdx.x, first = blockIdx.x * threads - radius;
  for (int k = t; k < threads + 2 * radius; k += threads)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncthreads();
  if (t % 2 != 0) return;
  for (int i = t; i < t + 2; ++i) {
    int sum = 0;
    for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * tile[i + k];
    if (first + radius + i < n) out[first + radius + i] = sum;
  }
}
