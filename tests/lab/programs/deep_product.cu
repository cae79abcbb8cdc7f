// A product whose threads read more elements between two barriers than a log has room for.
#include <cstdio>

constexpr int m = 256, depth = 1024, tile = 64, side = 16, per = 4;

__global__ void product(float const* a, float const* b, float* c) {
  __shared__ float as[tile][side + 1], bs[side][tile + 1];
  int const tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * tile, y = blockIdx.y * tile;
  float sum[per][per] = {};
  for (int k0 = 0; k0 < depth; k0 += side) {
    for (int i = 0; i < per; ++i) as[tx + i * side][ty] = a[(k0 + ty) * m + x + tx + i * side];
    for (int i = 0; i < per; ++i) bs[tx][ty + i * side] = b[(y + ty + i * side) * depth + k0 + tx];
    __syncthreads();
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < per; ++j)
        for (int i = 0; i < per; ++i) sum[i][j] += as[tx + i * side][k] * bs[k][ty + j * side];
    __syncthreads();
  }
  for (int j = 0; j < per; ++j)
    for (int i = 0; i < per; ++i) c[(y + ty + j * side) * m + x + tx + i * side] = sum[i][j];
}

int main() {
  float *a, *b, *c;
  cudaMallocManaged(&a, m * depth * sizeof(float));
  cudaMallocManaged(&b, m * depth * sizeof(float));
  cudaMallocManaged(&c, m * m * sizeof(float));
  for (int i = 0; i < m * depth; ++i) a[i] = b[i] = 1;
  product<<<dim3(m / tile, m / tile), dim3(side, side)>>>(a, b, c);
  cudaDeviceSynchronize();
  for (int i = 0; i < m * m; ++i)
    if (c[i] != depth) return 1;
  std::printf("right\n");
}
