/// Graphs: captured from streams, and made node by node.
#include <cuda_runtime.h>

#include "launch.cuh"

#include "buffer.cuh"

#include <vector>

__global__ void add_one(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}

static void count_call(void* calls) {
  ++*static_cast<int*>(calls);
}
// Captured work runs when its graph is launched, on two streams that events join.
extern "C" bool captured_graphs() {
  buffer<int> p(40);
  cudaStream_t a, b;
  cudaEvent_t forked, joined;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  int calls = 0;
  std::vector<int> copied(40, -1);
  bool right = cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal) == cudaSuccess;
  cudaEventRecord(forked, a);
  cudaStreamWaitEvent(b, forked, 0);
  LAUNCH(add_one, 2, 32, 0, b)(p.place, 40);
  cudaEventRecord(joined, b);
  cudaStreamWaitEvent(a, joined, 0);
  cudaMemcpyAsync(copied.data(), p.place, 160, cudaMemcpyDeviceToHost, a);
  cudaLaunchHostFunc(a, count_call, &calls);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  right = right && cudaStreamEndCapture(a, &graph) == cudaSuccess && calls == 0 && copied[0] == -1;
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(executable, a);
  cudaStreamSynchronize(a);
  right = right && calls == 3 && copied[39] == 3 &&
          cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
              cudaErrorStreamCaptureUnsupported &&
          cudaGetLastError() != cudaSuccess;
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaGraph_t unfinished;  // may be where the destroyed one was
  cudaGraphCreate(&unfinished, 0);
  right = right && cudaEventSynchronize(joined) == cudaSuccess &&
          cudaStreamSynchronize(b) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
  cudaGraphDestroy(unfinished);
  cudaStreamDestroy(b);
  cudaStreamDestroy(a);
  return right && holds(p, [](int) { return 3; });
}

__global__ void triple(int* p, int n, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 3 * p[i] + offset;
}
__global__ void doubled(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 2 * p[i];
}
namespace {
// memset to 5, 3p + 1, 2p, copy to the host, call the host: five nodes in a chain, or without the
// dependency of the doubling on the tripling.
struct chain_of_nodes {
  static constexpr int n = 40;
  buffer<int> p{n};
  std::vector<int> copied = std::vector<int>(n, -1);
  int calls = 0;
  cudaGraph_t graph;
  cudaGraphNode_t set, first, second, copy, call;

  explicit chain_of_nodes(bool is_whole) {
    cudaGraphCreate(&graph, 0);
    cudaMemsetParams zero = {};
    zero.dst = p.place;
    zero.value = 5;
    zero.elementSize = 4;
    zero.width = n;
    zero.height = 1;
    cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero);
    int size = n, offset = 1;
    void* arguments[] = {(void*)&p.place, &size, &offset};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void*)triple;
    kernel.gridDim = dim3(2);
    kernel.blockDim = dim3(32);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel);
    offset = 1000;  // the node has its own copies
    void* twice[] = {(void*)&p.place, &size};
    kernel.func = (void*)doubled;
    kernel.kernelParams = twice;
    cudaGraphAddKernelNode(&second, graph, is_whole ? &first : &set, 1, &kernel);
    cudaGraphNode_t both[] = {first, second};
    cudaGraphAddMemcpyNode1D(&copy, graph, both, 2, copied.data(), p.place, n * sizeof(int),
                             cudaMemcpyDeviceToHost);
    cudaHostNodeParams host = {};
    host.fn = count_call;
    host.userData = &calls;
    cudaGraphAddHostNode(&call, graph, &copy, 1, &host);
  }
  bool run(int times) {
    cudaGraphExec_t executable;
    if (cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess) return false;
    for (int i = 0; i < times; i++) cudaGraphLaunch(executable, 0);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    return cudaDeviceSynchronize() == cudaSuccess;
  }
};
}  // namespace
extern "C" bool graphs_made_of_nodes() {
  chain_of_nodes chain(true);
  size_t count = 0, roots = 0;
  cudaGraphGetNodes(chain.graph, nullptr, &count);
  cudaGraphGetRootNodes(chain.graph, nullptr, &roots);
  cudaGraphNode_t nodes[5];
  cudaGraphNodeType type;
  bool right =
      count == 5 && roots == 1 && cudaGraphGetNodes(chain.graph, nodes, &count) == cudaSuccess;
  for (cudaGraphNode_t node : {chain.set, chain.first, chain.second, chain.copy, chain.call}) {
    bool found = false;
    for (cudaGraphNode_t other : nodes) found = found || node == other;
    right = right && found;
  }
  cudaGraphNodeGetType(chain.second, &type);
  right = right && type == cudaGraphNodeTypeKernel;
  right = chain.run(3) && right && chain.calls == 3 && chain.copied[39] == 32;
  return right && holds(chain.p, [](int) { return 32; });
}
// Nodes that no dependency orders run in another order than they were made.
extern "C" bool forgotten_dependency_of_nodes() {
  chain_of_nodes chain(false);
  return chain.run(1) && holds(chain.p, [](int) { return 31; });
}
// A later node comes first: dependencies are added afterwards. The graph is a node of another one,
// after a copy of a box of 3 x 2 x 2 elements.
extern "C" bool order_of_nodes() {
  buffer<int> p(std::vector<int>(40, 1)), box(std::vector<int>(40, 2));
  int n = 40;
  void* arguments[] = {(void*)&p.place, &n};
  cudaKernelNodeParams kernel = {};
  kernel.gridDim = dim3(2);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  cudaGraph_t inner, outer;
  cudaGraphNode_t last, first, child, copy;
  cudaGraphCreate(&inner, 0);
  kernel.func = (void*)doubled;
  cudaGraphAddKernelNode(&last, inner, nullptr, 0, &kernel);
  kernel.func = (void*)add_one;
  cudaGraphAddKernelNode(&first, inner, nullptr, 0, &kernel);
#if CUDART_VERSION >= 13000
  bool right = cudaGraphAddDependencies(inner, &first, &last, nullptr, 1) == cudaSuccess;
#else
  bool right = cudaGraphAddDependencies(inner, &first, &last, 1) == cudaSuccess;
#endif
  cudaGraphCreate(&outer, 0);
  cudaMemcpy3DParms part = {};
  part.srcPtr = make_cudaPitchedPtr(box.place, 4 * sizeof(int), 4, 5);
  part.dstPtr = make_cudaPitchedPtr(p.place, 4 * sizeof(int), 4, 5);
  part.srcPos = make_cudaPos(0, 0, 0);
  part.dstPos = make_cudaPos(sizeof(int), 1, 0);
  part.extent = make_cudaExtent(3 * sizeof(int), 2, 2);
  part.kind = cudaMemcpyDeviceToDevice;
  cudaGraphAddMemcpyNode(&copy, outer, nullptr, 0, &part);
  cudaGraphAddChildGraphNode(&child, outer, &copy, 1, inner);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, outer, 0);
  cudaGraphLaunch(executable, 0);
  return right && holds(p, [](int i) {
           int const x = i % 4, y = i / 4 % 5;
           return x >= 1 && (y == 1 || y == 2) ? 6 : 4;
         });
}
