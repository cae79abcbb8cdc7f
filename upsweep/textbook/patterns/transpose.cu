/// Matrix transpose in three ways: straight, where a warp writes 32 lines; through a tile in shared
/// memory, which a warp reads from one bank; through a tile with a padded row, free of conflicts.
/// Cost: n loads, n stores · 32 sectors, 4 sectors and 4 sectors a full warp's store of 4-byte
/// elements · with tiles 1 barrier · 32, then 1 wavefront a shared load
/// Source: Ruetsch & Micikevicius 2009 (NVIDIA's transpose sample)
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned side = 32, rows_at_once = 8;

__global__ void straight(float const* in, float* out, unsigned width, unsigned height) {
  unsigned const x = blockIdx.x * side + threadIdx.x;
  for (unsigned r = threadIdx.y; r < side; r += rows_at_once) {
    unsigned const y = blockIdx.y * side + r;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}

template <unsigned pitch>
__global__ void tiled(float const* in, float* out, unsigned width, unsigned height) {
  __shared__ float tile[side][pitch];
  unsigned const left = blockIdx.x * side, top = blockIdx.y * side;
  for (unsigned r = threadIdx.y; r < side; r += rows_at_once) {
    unsigned const x = left + threadIdx.x, y = top + r;
    if (x < width && y < height) tile[r][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();  // the tile is loaded
  for (unsigned r = threadIdx.y; r < side; r += rows_at_once) {
    unsigned const x = top + threadIdx.x, y = left + r;  // in the result
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][r];
  }
}

int main(int argc, char** argv) {
  unsigned const width = argc > 1 ? std::atoi(argv[1]) : 100, height = width / 2 + 7;
  unsigned const n = width * height;
  std::vector<float> x(n), expected(n);
  for (float& value : x) value = static_cast<float>(std::rand() % 1000);
  for (unsigned i = 0; i < n; ++i) expected[i] = x[i % height * width + i / height];

  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpy(in, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  dim3 const blocks((width + side - 1) / side, (height + side - 1) / side);
  dim3 const threads(side, rows_at_once);
  bool right = true;
  for (int way = 0; way < 3; ++way) {
    cudaMemset(out, 0, n * sizeof(float));
    if (way == 0) straight<<<blocks, threads>>>(in, out, width, height);
    if (way == 1) tiled<side><<<blocks, threads>>>(in, out, width, height);
    if (way == 2) tiled<side + 1><<<blocks, threads>>>(in, out, width, height);
    std::vector<float> y(n);
    cudaMemcpy(y.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    right = right && y == expected;
  }
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("transpose: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("transpose: %u x %u, 3 ways, %s\n", height, width, right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(out);
  return right ? 0 : 1;
}
