// The heap of the device, and six mistakes with it.
#include <cstdio>
#include <new>
struct node {
  int value;
  node* next;
  __device__ node(int v, node* n) : value(v), next(n) {}
};
__device__ node* head;
__global__ void build() {
  node* list = nullptr;
  for (int i = 0; i < 5; ++i) list = new node(i, list);
  head = list;
}
__global__ void sum(int* out) {
  int s = 0;
  for (node* n = head; n != nullptr;) {
    s += n->value;
    node* next = n->next;
    delete n;
    n = next;
  }
  *out = s;
}
__global__ void shared_piece(int* out) {
  __shared__ int* piece;
  if (threadIdx.x == 0) piece = static_cast<int*>(malloc(blockDim.x * sizeof(int)));
  __syncthreads();
  piece[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = piece[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(piece);
}
__global__ void too_much(int* out) {
  void* p = malloc(9u << 20);
  void* q = malloc(4u << 20);
  void* r = malloc(5u << 20);
  int* n = new int[3u << 20];
  *out = (p == nullptr) + 2 * (q == nullptr) + 4 * (r == nullptr) + 8 * (n == nullptr);
  free(q);
  free(r);
}
__global__ void mistake(int which, int* out) {
  int* p = static_cast<int*>(malloc(40));
  if (which == 1) *out = p[3];
  if (which == 2) p[10] = 1;
  if (which == 3) {
    free(p);
    *out = p[0];
  }
  if (which == 4) {
    delete p;
    delete p;
  }
  if (which == 5) free(out);
  if (which == 6) p[-1] = 1;
}
int main(int argc, char** argv) {
  int* out;
  cudaMallocManaged(&out, 64 * 4);
  if (argc > 1) {
    mistake<<<1, 1>>>(argc - 1 ? argv[1][0] - '0' : 0, out);
    cudaDeviceSynchronize();
    return 0;
  }
  build<<<1, 1>>>();
  sum<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", *out);
  shared_piece<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d\n", out[0], out[63]);
  too_much<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", *out);
  size_t limit;
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  printf("%zu\n", limit);
  int* mine = new int[100];
  mine[3] = 1;
  delete[] mine;
  free(malloc(10));
}
