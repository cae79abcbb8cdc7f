// A kernel in plain CUDA C++.
#pragma once

template <class Op>
__global__ void kogge_stone(int const* in, int* out, Op op) {
  __shared__ int tile[64];
  unsigned const t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    int sum = 0;
    if (t >= stride) sum = op(tile[t - stride], tile[t]);
    __syncthreads();
    if (t >= stride) tile[t] = sum;
    __syncthreads();
  }
  out[t] = tile[t];
}
