/// List ranking by pointer jumping: in each round every element adds its successor's distance to
/// its own and then points to its successor's successor, until all point to the end.
/// Cost: log2 n rounds of 1 launch · 4 loads and 2 stores an element and round · n·log2 n additions
/// Source: Wyllie 1979; ETH P&S, prefix sum: tree operations
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr unsigned threads = 256;

/// Two arrays take turns, because others still read what an element points to. The last element
/// points to itself at distance 0.
__global__ void jump(unsigned const* next, unsigned const* distance, unsigned* new_next,
                     unsigned* new_distance, unsigned n) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  unsigned const successor = next[i];
  new_distance[i] = distance[i] + distance[successor];
  new_next[i] = next[successor];
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, bytes = n * sizeof(unsigned);
  std::vector<unsigned> order(n), successors(n), distances(n), y(n);
  for (unsigned i = 0; i < n; ++i) order[i] = i;
  for (unsigned i = n; i > 1; --i) std::swap(order[i - 1], order[std::rand() % i]);
  for (unsigned i = 0; i < n; ++i) {
    bool const is_last = i + 1 == n;
    successors[order[i]] = is_last ? order[i] : order[i + 1];
    distances[order[i]] = is_last ? 0 : 1;
  }

  unsigned *next, *distance, *new_next, *new_distance;
  cudaMalloc(&next, bytes);
  cudaMalloc(&distance, bytes);
  cudaMalloc(&new_next, bytes);
  cudaMalloc(&new_distance, bytes);
  cudaMemcpy(next, successors.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(distance, distances.data(), bytes, cudaMemcpyHostToDevice);
  for (unsigned reach = 1; reach < n; reach *= 2) {
    jump<<<(n + threads - 1) / threads, threads>>>(next, distance, new_next, new_distance, n);
    std::swap(next, new_next);
    std::swap(distance, new_distance);
  }

  cudaMemcpy(y.data(), distance, bytes, cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("list_ranking: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = true;
  for (unsigned i = 0; i < n; ++i) right = right && y[order[i]] == n - 1 - i;
  std::printf("list_ranking: %u elements, %s\n", n, right ? "right" : "wrong");
  cudaFree(next);
  cudaFree(distance);
  cudaFree(new_next);
  cudaFree(new_distance);
  return right ? 0 : 1;
}
