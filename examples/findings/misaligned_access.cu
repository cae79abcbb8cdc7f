// Four numbers are read at once, from the second element on.
#include <cstdio>

__global__ void broken(float const* x, float* sum) {
  float4 const v = *reinterpret_cast<float4 const*>(x + 1);
  *sum = v.x + v.y + v.z + v.w;
}

__global__ void fixed(float const* x, float* sum) {
  *sum = 0;
  for (int i = 1; i <= 4; ++i) *sum += x[i];
}

int main(int argc, char**) {
  float* x;
  cudaMallocManaged(&x, 6 * sizeof(float));
  for (int i = 0; i < 6; ++i) x[i] = i;
  auto* kernel = argc > 1 ? fixed : broken;
  kernel<<<1, 1>>>(x, x + 5);
  cudaDeviceSynchronize();
  std::printf("the sum is %g\n", x[5]);
}
