/// A convolutional layer as a matrix product: the windows of the three input maps become the
/// columns of a matrix, which the two filters multiply as rows.
/// Cost: 12 loads and 12 stores a window to unroll; 24 loads and 1 store an output element
/// Source: ETH P&S, convolution: a convolutional layer with matrix multiplication
///
/// With size 3 the maps are those of the slide, and the program prints its matrices.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int maps = 3, window = 2, filters = 2, weights = maps * window * window;

/// Row (map, r, c) of the matrix holds the elements at (r, c) in all windows of that map.
__global__ void unroll(int const* in, int* matrix, int side) {
  int const out_side = side - window + 1, windows = out_side * out_side;
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= weights * windows) return;
  int const row = i / windows, column = i % windows;
  int const map = row / (window * window), r = row / window % window, c = row % window;
  int const y = column / out_side + r, x = column % out_side + c;
  matrix[i] = in[(map * side + y) * side + x];
}

__global__ void multiply(int const* filter, int const* matrix, int* out, int windows) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= filters * windows) return;
  int const row = i / windows, column = i % windows;
  int sum = 0;
  for (int k = 0; k < weights; ++k) sum += filter[row * weights + k] * matrix[k * windows + column];
  out[i] = sum;
}

void print(char const* name, std::vector<int> const& matrix, int columns) {
  std::printf("%s\n", name);
  for (std::size_t i = 0; i < matrix.size(); ++i)
    std::printf("%4d%s", matrix[i], (i + 1) % columns == 0 ? "\n" : "");
}

int main(int argc, char** argv) {
  int const side = argc > 1 ? std::atoi(argv[1]) : 20, out_side = side - window + 1;
  int const windows = out_side * out_side, threads = 128;
  std::vector<int> const slide_maps{1, 2, 0, 1, 1, 3, 0, 2, 2, 0, 2, 1, 0, 1,
                                    2, 1, 1, 0, 1, 2, 1, 0, 1, 3, 3, 3, 2};
  std::vector<int> const w{1, 1, 2, 2, 1, 1, 1, 1, 0, 1, 1, 0,   // filter 0
                           1, 0, 0, 1, 2, 1, 2, 1, 1, 2, 2, 0};  // filter 1
  std::vector<int> x(maps * side * side), unrolled(weights * windows), y(filters * windows);
  for (int& value : x) value = std::rand() % 4;
  if (side == 3) x = slide_maps;
  std::vector<int> expected(filters * windows, 0);
  for (int f = 0; f < filters; ++f)
    for (int row = 0; row < out_side; ++row)
      for (int column = 0; column < out_side; ++column)
        for (int m = 0; m < maps; ++m)
          for (int r = 0; r < window; ++r)
            for (int c = 0; c < window; ++c)
              expected[(f * out_side + row) * out_side + column] +=
                  w[((f * maps + m) * window + r) * window + c] *
                  x[(m * side + row + r) * side + column + c];

  int *in, *filter, *matrix, *out;
  cudaMalloc(&in, x.size() * sizeof(int));
  cudaMalloc(&filter, w.size() * sizeof(int));
  cudaMalloc(&matrix, unrolled.size() * sizeof(int));
  cudaMalloc(&out, y.size() * sizeof(int));
  cudaMemcpy(in, x.data(), x.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(filter, w.data(), w.size() * sizeof(int), cudaMemcpyHostToDevice);
  unroll<<<(weights * windows + threads - 1) / threads, threads>>>(in, matrix, side);
  multiply<<<(filters * windows + threads - 1) / threads, threads>>>(filter, matrix, out, windows);

  cudaMemcpy(unrolled.data(), matrix, unrolled.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(y.data(), out, y.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("convolution_layer: %s\n", cudaGetErrorString(error));
    return 1;
  }
  if (side == 3) print("input, unrolled", unrolled, windows);
  if (side == 3) print("output", y, windows);
  bool const right = y == expected;
  std::printf("convolution_layer: %d maps of %d x %d, %s\n", maps, side, side,
              right ? "right" : "wrong");
  cudaFree(in);
  cudaFree(filter);
  cudaFree(matrix);
  cudaFree(out);
  return right ? 0 : 1;
}
