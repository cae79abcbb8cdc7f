// Blelloch's exclusive scan of a tile, right but slow: its strides cause bank conflicts. README.md
// says what to do.

constexpr int threads = 512;       // of a block
constexpr int size = 2 * threads;  // elements of its tile

// The position of element i: one position after every 32 elements stays unused.
__device__ int place(int i) {
  return i + i / 32;
}

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void conflicting_scan(T const* in, T* out, int n, Op op) {
  __shared__ T tile[size + size / 32];
  int const t = threadIdx.x;
  int const i = blockIdx.x * size + t;
  tile[place(t)] = i < n ? in[i] : op.identity();
  tile[place(t + threads)] = i + threads < n ? in[i + threads] : op.identity();
  for (int stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // the last element of every aligned range of `stride` elements is its total
    int const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) tile[place(right)] = op(tile[place(left)], tile[place(right)]);
  }
  if (t == 0) tile[place(size - 1)] = op.identity();  // thread 0 wrote the total: no barrier needed
  for (int stride = threads; stride > 0; stride /= 2) {
    __syncthreads();  // the last of every aligned 2·stride elements is their exclusive prefix
    int const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) {
      T const total = tile[place(left)];
      tile[place(left)] = tile[place(right)];
      tile[place(right)] = op(tile[place(right)], total);  // the prefix is the earlier operand
    }
  }
  __syncthreads();  // every element is its exclusive prefix
  if (i < n) out[i] = tile[place(t)];
  if (i + threads < n) out[i + threads] = tile[place(t + threads)];
}
