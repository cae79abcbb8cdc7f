// A kernel gets a pointer to the host's memory.
#include <cstdio>
#include <vector>

__global__ void doubles(int const* in, int* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

int main(int argc, char**) {
  std::vector<int> x(32, 21);
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  if (argc > 1) {  // fixed
    cudaMemcpy(in, x.data(), 32 * sizeof(int), cudaMemcpyHostToDevice);
    doubles<<<1, 32>>>(in, out);
  } else {
    doubles<<<1, 32>>>(x.data(), out);
  }
  cudaMemcpy(x.data(), out, 32 * sizeof(int), cudaMemcpyDeviceToHost);
  if (argc > 1) std::printf("the first element is %d\n", x[0]);
}
