// Words used as CUDA does not define them, and loops without an end.
#include "cases.cuh"

// EXPECT undefined use: by __ldg(); which this kernel has written
__global__ void ldg_of_what_it_wrote(int* x, int* y, int) {
  int const t = threadIdx.x;
  x[t] = 3 * t;
  __syncthreads();
  y[t] = __ldg(&x[63 - t]);
}
CASE(ldg_of_what_it_wrote, 1, 64)

// EXPECT undefined use: by __ldg()
__global__ void ldg_of_a_counter(int* x, int* y, int) {
  atomicAdd(y + 1, x[0]);
  __syncthreads();
  if (threadIdx.x == 0) y[0] = __ldg(y + 1);
}
CASE(ldg_of_a_counter, 1, 64)

// EXPECT none; prints 64
__global__ void ldg_of_input(int* x, int* y, int) {
  int const t = threadIdx.x;
  y[t] = __ldg(&x[63 - t]);
}
CASE(ldg_of_input, 1, 64)

// EXPECT no progress: comes back to the barrier; stride >> 1 does not; on in-order
__global__ void endless_with_a_barrier(int* x, int* y, int) {
  for (int s = blockDim.x; s > 0; s >> 1) {
    __syncthreads();
    if (threadIdx.x < s) y[threadIdx.x] += 1;
  }
}
CASE(endless_with_a_barrier, 1, 32)

// EXPECT none; prints 70000
__global__ void many_rounds(int* x, int* y, int) {
  for (int round = 0; round < 70000; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) y[0] += 1;
  }
}
CASE(many_rounds, 1, 2)

// EXPECT out of bounds: element -2147479015 of buffer 'x'; has an int index overflowed
__global__ void product_of_ints(int* x, int* y, int) {
  int const row = 46340 + x[0], columns = row;
  y[0] = x[row * columns];
}
CASE(product_of_ints, 1, 1)

int main(int count, char** words) {
  return cases::run(count, words);
}
