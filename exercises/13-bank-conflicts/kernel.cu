// Blelloch's exclusive scan of a tile, right but slow: its strides cause bank conflicts. README.md
// says what to do.

constexpr int threads = 512;       // of a block
constexpr int size = 2 * threads;  // elements of its tile

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void conflicting_scan(T const* in, T* out, int n, Op op) {
  __shared__ T tile[size];
  int const t = threadIdx.x;
  int const i = blockIdx.x * size + t;
  tile[t] = i < n ? in[i] : op.identity();
  tile[t + threads] = i + threads < n ? in[i + threads] : op.identity();
  for (int stride = 1; stride < size; stride *= 2) {
    __syncthreads();  // the last element of every aligned range of `stride` elements is its total
    int const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) tile[right] = op(tile[left], tile[right]);
  }
  if (t == 0) tile[size - 1] = op.identity();  // thread 0 wrote the total: no barrier needed
  for (int stride = threads; stride > 0; stride /= 2) {
    __syncthreads();  // the last of every aligned 2·stride elements is their exclusive prefix
    int const left = (2 * t + 1) * stride - 1, right = left + stride;
    if (right < size) {
      T const total = tile[left];
      tile[left] = tile[right];
      tile[right] = op(tile[right], total);  // the prefix is the earlier operand
    }
  }
  __syncthreads();  // every element is its exclusive prefix
  if (i < n) out[i] = tile[t];
  if (i + threads < n) out[i + threads] = tile[t + threads];
}
