// A write beyond an array in a thread's own struct changes no other variable of the thread.
#include <cstdio>

struct counts {
  int n;
  int of[4];
};
struct both {
  counts mine;
  float more;
};
__global__ void counts_of(int const* in, int* out) {
  int const t = threadIdx.x;
  counts all = {};
  all.of[in[t]] = 1;
  out[t] = all.of[0] + all.n;
}
__global__ void nested(int const* in, int* out) {
  int const t = threadIdx.x;
  both all = {};
  all.mine.of[in[t] % 4] = t;
  out[t] += all.mine.of[in[t] % 4] + all.mine.n;
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i % 7;
  counts_of<<<1, 64>>>(in, out);
  nested<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 64; ++i) std::printf("%d ", out[i]);
}
