/// Merge of two sorted arrays: a thread finds by binary search where its part of the result begins
/// in both, and merges a fixed number of elements from there.
/// Cost: n stores · at most log2 min(na, nb) + 1 search steps of 2 loads and `items` merge steps of
/// 3 loads a thread · no barrier
/// Source: Odeh, Green, Mwassi, Shmueli & Birk 2012 (merge path); PMPP 4th ed., ch. 12
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr unsigned threads = 128, items = 4;

/// How many of the first `count` elements of the result come from `a`. Among equal elements those
/// of `a` come first.
__device__ unsigned taken_from_a(int const* a, unsigned na, int const* b, unsigned nb,
                                 unsigned count) {
  unsigned low = count > nb ? count - nb : 0, high = count < na ? count : na;
  while (low < high) {
    unsigned const middle = (low + high) / 2;
    if (a[middle] <= b[count - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void merge(int const* a, unsigned na, int const* b, unsigned nb, int* out) {
  unsigned const n = na + nb, first = (blockIdx.x * threads + threadIdx.x) * items;
  if (first >= n) return;
  unsigned i = taken_from_a(a, na, b, nb, first), j = first - i;
  for (unsigned k = first; k < first + items && k < n; ++k) {
    bool const from_a = j == nb || (i < na && a[i] <= b[j]);
    out[k] = from_a ? a[i++] : b[j++];
  }
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, na = n / 3, nb = n - na;
  std::vector<int> x(na), y(nb), z(n), expected;
  for (int& value : x) value = std::rand() % 500;
  for (int& value : y) value = std::rand() % 500;
  std::sort(x.begin(), x.end());
  std::sort(y.begin(), y.end());
  for (unsigned i = 0, j = 0; i < na || j < nb;)
    expected.push_back(j == nb || (i < na && x[i] <= y[j]) ? x[i++] : y[j++]);

  int *a, *b, *out;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(a, x.data(), na * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(b, y.data(), nb * sizeof(int), cudaMemcpyHostToDevice);
  unsigned const tile = threads * items;
  merge<<<(n + tile - 1) / tile, threads>>>(a, na, b, nb, out);

  cudaMemcpy(z.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("merge_path: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool const right = z == expected;
  std::printf("merge_path: %u and %u elements, %s\n", na, nb, right ? "right" : "wrong");
  cudaFree(a);
  cudaFree(b);
  cudaFree(out);
  return right ? 0 : 1;
}
