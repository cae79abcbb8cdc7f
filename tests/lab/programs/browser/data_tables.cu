// Tables of pointers, switches and strings lie beside the program's own variables.
#include <cstdio>

__device__ int small[4] = {1, 2, 3, 4};
__device__ char const* const names[3] = {"a", "bc", "def"};
__constant__ float weights[3] = {1, 2, 3};
int const primes[5] = {2, 3, 5, 7, 11};
__device__ int last[2];

__device__ char const* word(int i) {
  switch (i) {
    case 0:
      return "zero";
    case 1:
      return "one";
    case 2:
      return "two";
    case 3:
      return "three";
    case 4:
      return "four";
    default:
      return "many";
  }
}

__global__ void reads(int* out) {
  int const local[6] = {5, 4, 3, 2, 1, 0};
  static char const* const pair[2] = {"x", "y"};
  char const* const text = "a text of some length";
  int const t = threadIdx.x;
  out[t] = text[t] + local[t % 6] + primes[t % 5] + small[t % 4] + int(weights[t % 3]) +
           names[t % 3][0] + pair[t % 2][0] + word(t)[1];
  if (t < 2) last[t] = t;
}

__global__ void beyond(int* out, int i) {
  out[0] = small[0] + last[i];
}

int main() {
  int* out;
  cudaMallocManaged(&out, 16 * sizeof(int));
  reads<<<1, 16>>>(out);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += out[i];
  std::printf("%d\n", sum);
  beyond<<<1, 1>>>(out, 200);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
