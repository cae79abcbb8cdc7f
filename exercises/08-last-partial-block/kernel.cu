// Every block reduces `threads` elements to one total, which the host adds up. README.md says what
// is wrong and what to do.

#include <vector>

constexpr int threads = 128;  // of a block, which are the elements of its tile

// op(earlier, later) combines two elements; op.identity() changes no element.
template <class T, class Op>
__global__ void totals_of_blocks(T const* in, T* totals, int n, Op op) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = in[i];
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();  // tile[k] covers `stride` elements for every k that is a multiple of stride
    if (t % (2 * stride) == 0) tile[t] = op(tile[t], tile[t + stride]);
  }
  if (t == 0) totals[blockIdx.x] = tile[0];
}

// The reduction of n elements in device memory.
template <class T, class Op>
T reduce(T const* in, int n, Op op) {
  int const blocks = n / threads;
  T result = op.identity();
  if (blocks == 0) return result;
  T* totals = nullptr;
  cudaMalloc(&totals, blocks * sizeof(T));
  totals_of_blocks<<<blocks, threads>>>(in, totals, n, op);
  std::vector<T> host(blocks);
  cudaMemcpy(host.data(), totals, blocks * sizeof(T), cudaMemcpyDeviceToHost);
  for (T const total : host) result = op(result, total);
  cudaFree(totals);
  return result;
}
