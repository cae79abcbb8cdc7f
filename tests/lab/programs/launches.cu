// Launches: arguments, repetitions, kernels by name, other GPUs. tests/support/small_files.py
// makes a file of each program.

// FILE arguments.cu
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

// FILE repeated.cu
// Launches of the same kernel: 100 that leave memory as it was, 100 that count, 3 that print.
#include <cstdio>

__global__ void square(int const* in, int* out) {
  unsigned const i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < 50; ++k) sum += in[i];
  out[i] = sum;
}
__global__ void count(int* steps, int* seen) {
  steps[threadIdx.x] += 1;
  seen[steps[threadIdx.x]] = -1;
}
__global__ void shift(int* x) {
  unsigned const i = threadIdx.x;
  for (int k = 0; k < 50; ++k) x[i + 32] = x[i] + k;
}
__global__ void use(int const* seen, int* out) {
  *out = seen[100];
}
__global__ void say() {
  if (threadIdx.x == 0) printf("hello\n");
}
int main() {
  int *in, *out, *steps, *seen, *last, one = 0, total = 0;
  cudaMalloc(&in, 4096 * sizeof(int));
  cudaMalloc(&out, 4096 * sizeof(int));
  cudaMalloc(&steps, sizeof(int));
  cudaMalloc(&seen, 200 * sizeof(int));
  cudaMalloc(&last, sizeof(int));
  cudaMemset(in, 0, 4096 * sizeof(int));
  cudaMemset(steps, 0, sizeof(int));
  for (int i = 0; i < 100; ++i) square<<<16, 256>>>(in, out);
  for (int i = 0; i < 100; ++i) count<<<1, 1>>>(steps, seen);
  for (int i = 0; i < 3; ++i) say<<<1, 32>>>();
  for (int i = 0; i < 3; ++i) shift<<<1, 32>>>(in);
  use<<<1, 1>>>(seen, last);
  cudaMemcpy(&total, steps, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(&one, last, sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", total, one);
}

// FILE two_launches.cu
// Two kernels, the second with a race: which launch is traced, and where it is launched.
#include <cstdio>

__global__ void fill(int* data) {
  data[threadIdx.x] = 10 + threadIdx.x;
}

__global__ void shift(int* data) {
  int const t = threadIdx.x;
  if (t > 0) data[t] = data[t - 1];
}

int main(int argc, char** argv) {
  int* data;
  cudaMalloc((void**)&data, 8 * sizeof(int));
  fill<<<1, 8>>>(data);
  if (argc < 2) shift<<<1, 8>>>(data);
  int first = 0;
  cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%d\n", first);
}

// FILE kernels.cu
// Kernels without a main: the tool launches them by name.
struct node {
  int key;
  float weight;
};

__constant__ float factor[2] = {1.5f, 2.0f};

__global__ void scale(float const* in, float* out, int n, float by) {
  int const i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * by;
}

template <class T, int threads>
__global__ void __launch_bounds__(threads) scan(T const* in, T* out, int n) {
  __shared__ T tile[threads];
  int const t = threadIdx.x, i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : T{};
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    T const left = t >= stride ? tile[t - stride] : T{};
    __syncthreads();
    tile[t] += left;
  }
  if (i < n) out[i] = tile[t];
}

// The second barrier is missing: a thread may read what another one has already updated.
__global__ void racing_scan(int const* in, int* out) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  tile[t] = in[t];
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    int const left = t >= stride ? tile[t - stride] : 0;
    tile[t] += left;
  }
  out[t] = tile[t];
}

__global__ void beyond(float* out) {
  out[threadIdx.x] = 1.25f;
  __syncthreads();
  if (threadIdx.x == 3) out[threadIdx.x + 64] = 2.5f;
}

__global__ void order_matters(int* out) {
  if (threadIdx.x == 0) atomicExch(out, blockIdx.x);
}

__global__ void types(node const* nodes, double* sums, unsigned char* bytes) {
  extern __shared__ double part[];
  int const t = threadIdx.x;
  part[t] = nodes[t].weight * factor[t % 2];
  float const other = __shfl_xor_sync(0xffffffff, nodes[t].weight, 1);
  sums[t] = part[t] + other;
  bytes[t] = static_cast<unsigned char>(nodes[t].key + 200);
}

__global__ void corners(int* out) {
  out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y + threadIdx.y * blockDim.x +
      threadIdx.x] = threadIdx.y * 10 + threadIdx.x;
}

// FILE devices.cu
/// What depends on the device. argv[1]: nothing, or a word that needs a newer one.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <string>

__global__ void tell(int* arch) {
  *arch = __CUDA_ARCH__;
}

__global__ void copies_asynchronously(int* p) {
  __shared__ int tile[4];
  unsigned const to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p) : "memory");  // COPY
  asm volatile("cp.async.wait_all;" ::: "memory");
  p[4] = tile[3];
}
__global__ void reduces(int* p) {
  int const sum = __reduce_add_sync(~0u, static_cast<int>(threadIdx.x));  // REDUCE
  if (threadIdx.x == 0) p[4] = sum;
}
__global__ void expects_bytes(int* p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> arrived;
  if (threadIdx.x == 0) init(&arrived, 1);
  __syncthreads();
  if (threadIdx.x == 0) arrived.wait(cuda::device::barrier_arrive_tx(arrived, 1, 0));  // EXPECT
  if (threadIdx.x == 0) p[4] = 496;
}
__global__ void meets_its_cluster(int* p) {
  cooperative_groups::this_cluster().sync();
  if (blockIdx.x == 0) p[4] = 496;
}
__global__ void fills(int* p) {
  extern __shared__ int room[];
  room[threadIdx.x] = 496;
  p[4] = room[0];
}

int main(int argc, char** argv) {
  int *p, h[5] = {1, 2, 3, 496, 0};
  cudaMalloc(&p, sizeof h);
  cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
  std::string const word = argc > 1 ? argv[1] : "";
  if (word == "copy") copies_asynchronously<<<1, 1>>>(p);
  if (word == "reduce") reduces<<<1, 32>>>(p);
  if (word == "expect") expects_bytes<<<1, 32>>>(p);
  if (word == "cluster") {
    cudaLaunchAttribute shape;
    shape.id = cudaLaunchAttributeClusterDimension;
    shape.val.clusterDim = {2, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 1;
    config.attrs = &shape;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, meets_its_cluster, p);  // CLUSTER
  }
  if (word == "memory") {
    cudaFuncSetAttribute(fills, cudaFuncAttributeMaxDynamicSharedMemorySize, 80 << 10);  // MEMORY
    fills<<<1, 1, 80 << 10>>>(p);
  }
  if (word.empty()) {
    tell<<<1, 1>>>(p + 4);
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    std::printf("%s: %d.%d\n", device.name, device.major, device.minor);
  }
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  std::printf("%d\n", h[4]);
}
