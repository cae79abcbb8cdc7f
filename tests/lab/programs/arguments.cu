// Arguments of launches: references, classes with copies and destructors, overloads, defaults.
#include <cstdio>
struct counted {
  static int copies, ends;
  int* data;
  int value;
  explicit counted(int v) : data(nullptr), value(v) {
    cudaMalloc(&data, 4);
    cudaMemcpy(data, &v, 4, cudaMemcpyHostToDevice);
  }
  counted(counted const& o) : data(o.data), value(o.value) { ++copies; }
  ~counted() { ++ends; }
};
int counted::copies = 0, counted::ends = 0;
struct owner {
  int* data;
  explicit owner(int v) {
    cudaMallocManaged(&data, 4);
    *data = v;
  }
  owner(owner const&) = default;
  ~owner() { cudaFree(data); }
};
__global__ void take(counted c, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 3) *out = c.value + *c.data;
}
__global__ void take_owner(owner o, int* out) {
  *out = *o.data;
}
__global__ void add(int& x) {
  atomicAdd(&x, 1);
}
template <class T>
__global__ void add_t(T& x) {
  atomicAdd(&x, 1);
}
template <class T>
__global__ void take_t(T c, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 3) {
    c.value += 1;
    *out = c.value + *c.data;
  }
}
template <class T>
__global__ void take_c(T c, int const* in, int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 3) {
    c.value += 1;
    *out = c.value + *in;
  }
}
__global__ void over(float*) {}
__global__ void over(int* p) {
  *p = 5;
}
__global__ void defaults(int* p, int v = 9) {
  *p = v;
}
struct moved {
  int v;
  moved(int x) : v(x) {}
  moved(moved&&) = default;
  moved(moved const&) = delete;
};
__global__ void take_moved(moved m, int* p) {
  *p = m.v;
}
int main() {
  int* x;
  cudaMallocManaged(&x, 4);
  *x = 1;
  add<<<1, 1>>>(*x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  add_t<<<1, 1>>>(*x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  counted c(7);
  counted::copies = counted::ends = 0;
  take<<<2, 32>>>(c, x);
  cudaDeviceSynchronize();
  printf("%d copies %d ends %d\n", *x, counted::copies, counted::ends);
  counted::copies = counted::ends = 0;
  take_t<<<2, 32>>>(c, x);
  cudaDeviceSynchronize();
  printf("%d copies %d ends %d\n", *x, counted::copies, counted::ends);
  counted::copies = counted::ends = 0;
  take_c<<<2, 32>>>(c, x, x + 0);
  cudaDeviceSynchronize();
  printf("%d copies %d ends %d\n", *x, counted::copies, counted::ends);
  counted::copies = counted::ends = 0;
  void* all[] = {&c, &x};
  cudaLaunchKernel(take, dim3(2), dim3(32), all, 0, 0);
  cudaDeviceSynchronize();
  printf("%d copies %d ends %d\n", *x, counted::copies, counted::ends);
  take_owner<<<1, 1>>>(owner(32), x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  over<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  defaults<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  take_moved<<<1, 1>>>(moved(4), x);
  cudaDeviceSynchronize();
  printf("%d\n", *x);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t g;
  cudaGraphExec_t e;
  counted::copies = counted::ends = 0;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  take<<<2, 32, 0, s>>>(c, x);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphLaunch(e, s);
  cudaGraphLaunch(e, s);
  cudaStreamSynchronize(s);
  printf("%d copies %d ends %d\n", *x, counted::copies, counted::ends);
}
