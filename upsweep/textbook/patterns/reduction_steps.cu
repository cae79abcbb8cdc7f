/// The array after each step of a reduction tree in memory: with strides that double, where thread
/// t owns element 2t, and with strides that halve, where thread t owns element t; sum and maximum.
/// Cost: n - 1 applications · log2 n steps · 2 barriers a step, one of them for the picture
/// Source: PMPP 4th ed., ch. 10, figs. 10.3 and 10.5-10.9 and the arrays in the text
///
/// Arguments: the values, or a single size. Without arguments they are the book's eight.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ int combine(bool is_max, int a, int b) {
  return is_max ? max(a, b) : a + b;
}

/// Appends the array to the history; two elements a thread.
__device__ void record(int const* data, unsigned n, int*& history) {
  __syncthreads();  // the step is complete
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) history[i] = data[i];
  __syncthreads();  // all have read it
  history += n;
}

__global__ void doubling(int* data, unsigned n, bool is_max, int* history) {
  unsigned const i = 2 * threadIdx.x;
  for (unsigned stride = 1; stride < n; stride *= 2) {
    if (threadIdx.x % stride == 0 && i + stride < n)
      data[i] = combine(is_max, data[i], data[i + stride]);
    record(data, n, history);
  }
}

__global__ void halving(int* data, unsigned n, bool is_max, int* history) {
  unsigned const i = threadIdx.x;
  for (unsigned stride = blockDim.x; stride > 0; stride /= 2) {
    if (i < stride && i + stride < n) data[i] = combine(is_max, data[i], data[i + stride]);
    record(data, n, history);
  }
}

int main(int argc, char** argv) {
  std::vector<int> x{6, 2, 7, 4, 5, 8, 3, 1};
  if (argc == 2) x.resize(std::atoi(argv[1]), 1);
  if (argc > 2) x.clear();
  for (int k = 1; argc > 2 && k < argc; ++k) x.push_back(std::atoi(argv[k]));
  unsigned const n = static_cast<unsigned>(x.size());
  unsigned threads = 1, steps = 1;  // a power of two, and how many times it doubles up to n
  for (; 2 * threads < n; threads *= 2) ++steps;
  if (n < 2 || threads > 1024) {
    std::printf("reduction_steps: %u elements; one block reduces 2 to 2048\n", n);
    return 1;
  }

  int *data, *history;
  cudaMalloc(&data, n * sizeof(int));
  cudaMalloc(&history, steps * n * sizeof(int));
  bool right = true;
  for (bool is_max : {false, true})
    for (bool is_halving : {false, true}) {
      cudaMemcpy(data, x.data(), n * sizeof(int), cudaMemcpyHostToDevice);
      if (is_halving)
        halving<<<1, threads>>>(data, n, is_max, history);
      else
        doubling<<<1, threads>>>(data, n, is_max, history);
      std::vector<int> y(steps * n);
      cudaMemcpy(y.data(), history, steps * n * sizeof(int), cudaMemcpyDeviceToHost);
      int expected = x[0];
      for (unsigned i = 1; i < n; ++i)
        expected = is_max ? std::max(expected, x[i]) : expected + x[i];
      right = right && y[(steps - 1) * n] == expected;
      std::printf("%s, stride %s\n", is_max ? "maximum" : "sum", is_halving ? "halves" : "doubles");
      for (unsigned i = 0; i < steps * n && n <= 16; ++i)
        std::printf("%4d%s", y[i], (i + 1) % n == 0 ? "\n" : "");
    }
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("reduction_steps: %s\n", cudaGetErrorString(error));
    return 1;
  }
  std::printf("reduction_steps: %u elements, %u steps, %s\n", n, steps, right ? "right" : "wrong");
  cudaFree(data);
  cudaFree(history);
  return right ? 0 : 1;
}
