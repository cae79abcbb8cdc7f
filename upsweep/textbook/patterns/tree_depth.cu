/// Depth of all nodes of a tree: its edges, each once down and once up, form a list, the Euler
/// tour. Steps down count +1 and steps up -1, and pointer jumping sums from each edge to the tour's
/// end.
/// Cost: 2n list elements · 1 launch, then log2 2n rounds of 1 launch · 4 loads and 2 stores an
/// element and round
/// Source: Tarjan & Vishkin 1985; ETH P&S, prefix sum: tree operations
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

constexpr unsigned threads = 256, nobody = ~0u;

/// Element v of the list is the edge from v's parent down to v, element n + v that back up. The
/// root's own two are the entry to the tree and the exit, where the list ends.
__global__ void make_tour(unsigned const* parent, unsigned const* first_child,
                          unsigned const* sibling, unsigned* next, int* sum, unsigned n) {
  unsigned const v = blockIdx.x * threads + threadIdx.x;
  if (v >= n) return;
  next[v] = first_child[v] != nobody ? first_child[v] : n + v;
  sum[v] = 1;
  bool const is_root = parent[v] == nobody;
  next[n + v] = is_root ? n + v : sibling[v] != nobody ? sibling[v] : n + parent[v];
  sum[n + v] = is_root ? 0 : -1;
}

__global__ void jump(unsigned const* next, int const* sum, unsigned* new_next, int* new_sum,
                     unsigned size) {
  unsigned const i = blockIdx.x * threads + threadIdx.x;
  if (i >= size) return;
  unsigned const successor = next[i];
  new_sum[i] = sum[i] + (successor == i ? 0 : sum[successor]);
  new_next[i] = next[successor];
}

int main(int argc, char** argv) {
  unsigned const n = argc > 1 ? std::atoi(argv[1]) : 1000, bytes = n * sizeof(unsigned);
  std::vector<unsigned> parents(n, nobody), first_children(n, nobody), siblings(n, nobody);
  std::vector<int> depths(n, 0), y(n);
  for (unsigned v = 1; v < n; ++v) {  // node 0 is the root
    unsigned const p = std::rand() % v;
    parents[v] = p;
    siblings[v] = first_children[p];
    first_children[p] = v;
    depths[v] = depths[p] + 1;
  }

  unsigned *parent, *first_child, *sibling, *next, *new_next;
  int *sum, *new_sum;
  cudaMalloc(&parent, bytes);
  cudaMalloc(&first_child, bytes);
  cudaMalloc(&sibling, bytes);
  cudaMalloc(&next, 2 * bytes);
  cudaMalloc(&new_next, 2 * bytes);
  cudaMalloc(&sum, 2 * bytes);
  cudaMalloc(&new_sum, 2 * bytes);
  cudaMemcpy(parent, parents.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(first_child, first_children.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(sibling, siblings.data(), bytes, cudaMemcpyHostToDevice);
  make_tour<<<(n + threads - 1) / threads, threads>>>(parent, first_child, sibling, next, sum, n);
  for (unsigned reach = 1; reach < 2 * n; reach *= 2) {
    jump<<<(2 * n + threads - 1) / threads, threads>>>(next, sum, new_next, new_sum, 2 * n);
    std::swap(next, new_next);
    std::swap(sum, new_sum);
  }

  // The sum from v's step down to the end climbs back from v to the root: depth - 1 steps up.
  cudaMemcpy(y.data(), sum, bytes, cudaMemcpyDeviceToHost);
  cudaError_t const error = cudaGetLastError();
  if (error != cudaSuccess) {
    std::printf("tree_depth: %s\n", cudaGetErrorString(error));
    return 1;
  }
  bool right = true;
  int deepest = 0;
  for (unsigned v = 0; v < n; ++v) {
    int const depth = 1 - y[v];
    right = right && depth == depths[v];
    deepest = depth > deepest ? depth : deepest;
  }
  std::printf("tree_depth: %u nodes, depth %d, %s\n", n, deepest, right ? "right" : "wrong");
  for (void* array :
       {static_cast<void*>(parent), static_cast<void*>(first_child), static_cast<void*>(sibling),
        static_cast<void*>(next), static_cast<void*>(new_next), static_cast<void*>(sum),
        static_cast<void*>(new_sum)})
    cudaFree(array);
  return right ? 0 : 1;
}
