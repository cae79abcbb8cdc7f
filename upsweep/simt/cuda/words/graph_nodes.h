/// Graphs made node by node. Kernels are known as addresses; see sim/modules/launch_by_symbol.cpp.
#pragma once

#include "launch_calls.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  std::size_t pitch;
  unsigned value, elementSize;
  std::size_t width, height;  ///< in elements, in rows
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};

typedef struct cudaArray* cudaArray_t;
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;
};
struct cudaExtent {
  std::size_t width, height, depth;
};
struct cudaPos {
  std::size_t x, y, z;
};
/// Widths and positions along x are in bytes.
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
inline cudaPitchedPtr make_cudaPitchedPtr(void* place, std::size_t pitch, std::size_t width,
                                          std::size_t height) {
  return {place, pitch, width, height};
}
inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(std::size_t x, std::size_t y, std::size_t z) {
  return {x, y, z};
}

namespace upsweep::emulated {

template <class Work>
UPSWEEP_EMULATED_WORD cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph,
                                           cudaGraphNodeType type,
                                           cudaGraphNode_t const* dependencies, std::size_t count,
                                           Work work) {
  if (graph == nullptr) return failed(cudaErrorInvalidValue);
  *node = new_node(*graph, type, dependencies, count, work);
  return *node == nullptr ? static_cast<cudaError_t>(upsweep_emulated_fail(
                                cudaErrorInvalidValue,
                                "a node's dependency is no node of the graph that it is added to"))
                          : cudaSuccess;
}

/// Row `y` of plane `z` of what is copied.
inline char* row_of(cudaPitchedPtr const& p, cudaPos const& at, std::size_t y, std::size_t z) {
  return static_cast<char*>(p.ptr) + ((at.z + z) * p.ysize + at.y + y) * p.pitch + at.x;
}
inline cudaError_t copy_planes(unsigned long long at, cudaMemcpy3DParms const& p) {
  cudaError_t error = cudaSuccess;
  for (std::size_t z = 0; z < p.extent.depth; ++z)
    for (std::size_t y = 0; y < p.extent.height && error == cudaSuccess; ++y)
      error = copy_at(at, row_of(p.dstPtr, p.dstPos, y, z), row_of(p.srcPtr, p.srcPos, y, z),
                      p.extent.width, p.kind);
  return error;
}
inline cudaError_t set_rows(unsigned long long at, cudaMemsetParams const& p) {
  std::size_t const bytes = p.width * p.elementSize;
  auto* const row = static_cast<char*>(std::malloc(bytes));
  for (std::size_t i = 0; i < bytes; i += p.elementSize)
    std::memcpy(row + i, &p.value, p.elementSize);
  cudaError_t error = cudaSuccess;
  for (std::size_t y = 0; y < p.height && error == cudaSuccess; ++y)
    error = copy_at(at, static_cast<char*>(p.dst) + y * p.pitch, row, bytes, cudaMemcpyDefault);
  std::free(row);
  return error;
}

}  // namespace upsweep::emulated

/// Of arrays in memory; a cudaArray_t does not exist here.
UPSWEEP_EMULATED_WORD cudaError_t cudaMemcpy3D(cudaMemcpy3DParms const* p) {
  if (p->srcArray != nullptr || p->dstArray != nullptr)
    return upsweep::emulated::failed(cudaErrorNotSupported);
  return upsweep::emulated::copy_planes(upsweep_emulated_position(), *p);
}
inline cudaError_t cudaMemcpy3DAsync(cudaMemcpy3DParms const* p, cudaStream_t stream = nullptr) {
  return upsweep::emulated::run_in(stream, cudaGraphNodeTypeMemcpy,
                                   [q = *p] { return cudaMemcpy3D(&q); });
}

/// The arguments are copied when the node is made, as CUDA does.
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         cudaGraphNode_t const* dependencies,
                                                         std::size_t count,
                                                         cudaKernelNodeParams const* p) {
  upsweep::emulated::shape how(p->gridDim, p->blockDim, p->sharedMemBytes);
  how.at = upsweep_emulated_position();
  upsweep_emulated_bound_kernel made;
  int error = upsweep_emulated_check_launch("kernel", &how, p->func);
  if (error == 0) error = upsweep_emulated_bind(p->func, p->kernelParams, &made);
  if (error != 0) return static_cast<cudaError_t>(error);
  return upsweep::emulated::add_node(
      node, graph, cudaGraphNodeTypeKernel, dependencies, count,
      [=] { return static_cast<cudaError_t>(upsweep_emulated_launch_bound(&made, &how)); });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                                           cudaGraphNode_t const* dependencies,
                                                           std::size_t count, void* to,
                                                           void const* from, std::size_t bytes,
                                                           cudaMemcpyKind kind) {
  auto const at = upsweep_emulated_position();
  return upsweep::emulated::add_node(
      node, graph, cudaGraphNodeTypeMemcpy, dependencies, count,
      [=] { return upsweep::emulated::copy_at(at, to, from, bytes, kind); });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         cudaGraphNode_t const* dependencies,
                                                         std::size_t count,
                                                         cudaMemcpy3DParms const* p) {
  return upsweep::emulated::add_node(node, graph, cudaGraphNodeTypeMemcpy, dependencies, count,
                                     [q = *p] { return cudaMemcpy3D(&q); });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                         cudaGraphNode_t const* dependencies,
                                                         std::size_t count,
                                                         cudaMemsetParams const* p) {
  bool const has_size = p->elementSize == 1 || p->elementSize == 2 || p->elementSize == 4;
  if (!has_size) return upsweep::emulated::failed(cudaErrorInvalidValue);
  auto const at = upsweep_emulated_position();
  return upsweep::emulated::add_node(node, graph, cudaGraphNodeTypeMemset, dependencies, count,
                                     [at, q = *p] { return upsweep::emulated::set_rows(at, q); });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                       cudaGraphNode_t const* dependencies,
                                                       std::size_t count,
                                                       cudaHostNodeParams const* p) {
  return upsweep::emulated::add_node(node, graph, cudaGraphNodeTypeHost, dependencies, count,
                                     [q = *p] {
                                       q.fn(q.userData);
                                       return cudaSuccess;
                                     });
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                                        cudaGraphNode_t const* dependencies,
                                                        std::size_t count) {
  return upsweep::emulated::add_node(node, graph, cudaGraphNodeTypeEmpty, dependencies, count,
                                     [] { return cudaSuccess; });
}
/// The child is copied when the node is made.
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node,
                                                             cudaGraph_t graph,
                                                             cudaGraphNode_t const* dependencies,
                                                             std::size_t count, cudaGraph_t child) {
  cudaGraphExec_t inner = nullptr;
  if (cudaError_t const error = cudaGraphInstantiate(&inner, child); error != cudaSuccess)
    return error;
  return upsweep::emulated::add_node(node, graph, cudaGraphNodeTypeGraph, dependencies, count,
                                     [=] { return cudaGraphLaunch(inner, nullptr); });
}
