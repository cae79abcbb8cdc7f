// One mistake for each number on the command line.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void race(int* sum) {
  sum[0] += threadIdx.x;
}
__global__ void beyond_the_end(int* p, int n) {
  p[blockIdx.x * blockDim.x + threadIdx.x] = n;
}
__global__ void barrier_in_a_branch(int* p) {
  if (threadIdx.x < 16) __syncthreads();
  p[threadIdx.x] = 1;
}
__global__ void nothing() {}

int main(int, char** argv) {
  int const what = std::atoi(argv[1]);
  int* p;
  cudaMalloc(&p, 64 * sizeof(int));
  cudaMemset(p, 0, 64 * sizeof(int));
  if (what == 1) race<<<1, 64>>>(p);
  if (what == 2) beyond_the_end<<<2, 64>>>(p, 3);
  if (what == 3) barrier_in_a_branch<<<1, 32>>>(p);
  if (what == 4) nothing<<<1, 2000>>>();
  nothing<<<1, 32>>>();
  if (what == 5) *static_cast<int volatile*>(nullptr) = 1;
  if (what == 6) std::exit(7);
  if (what == 7) std::abort();
  while (what == 8) {
  }
  if (what == 9)
    for (std::vector<char*> all;;) {
      all.push_back(new char[1 << 20]);
      for (int i = 0; i < 1 << 20; i += 4096) all.back()[i] = 1;
    }
  if (what == 10) throw "thrown";
  if (what == 11) std::printf("%d\n", p[0]);
  if (what == 12)
    for (int i = 0; i < 200000; ++i) std::printf("line %d\n", i);
}
