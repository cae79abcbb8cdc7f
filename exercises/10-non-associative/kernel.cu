// A recurrence as a scan. README.md says what is wrong with its operator, and what to do.

constexpr int threads = 128;  // of a block, which are the elements of its tile

// One step of the recurrence x = a·x + b.
struct step {
  unsigned a, b;
};

// Combines a step with the next one.
struct recurrence {
  // A step that changes nothing.
  __host__ __device__ step identity() const { return {1, 0}; }
  // As in the loop: `earlier.b` is the value so far, and the later step multiplies it by a and adds
  // b.
  __host__ __device__ step operator()(step earlier, step later) const {
    return {later.a, later.a * earlier.b + later.b};
  }
};

// Kogge–Stone inclusive scan of a tile.
template <class T, class Op>
__global__ void scan_steps(T const* in, T* out, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : op.identity();
  __syncthreads();  // the tile is loaded
  for (int stride = 1; stride < threads; stride *= 2) {
    T sum = tile[t];
    if (t >= stride) sum = op(tile[t - stride], sum);
    __syncthreads();  // every thread has read
    tile[t] = sum;
    __syncthreads();  // tile[t] covers the 2·stride elements that end at t, fewer at the start
  }
  if (i < n) out[i] = tile[t];
}
