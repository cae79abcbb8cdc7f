/// Graphs: nodes of work, and the nodes that each of them follows.
///
/// A graph is run one node at a time. Of the nodes whose dependencies have run, the newest comes
/// first: where a program forgets a dependency, its nodes run in another order than it made them.
#pragma once

#include "runtime_types.h"

#include <cstddef>

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel,
  cudaGraphNodeTypeMemcpy,
  cudaGraphNodeTypeMemset,
  cudaGraphNodeTypeHost,
  cudaGraphNodeTypeGraph,
  cudaGraphNodeTypeEmpty
};

namespace upsweep::emulated {

/// A growing array. The headers of C++ that have one take too long to compile.
template <class T>
struct growing_array {
  T* items = nullptr;
  std::size_t count = 0;

  growing_array() = default;
  growing_array(growing_array const& other) { *this = other; }
  ~growing_array() { delete[] items; }
  growing_array& operator=(growing_array const& other) {
    if (this == &other) return *this;
    delete[] items;
    items = nullptr;
    count = 0;
    for (T const& item : other) add(item);
    return *this;
  }
  void add(T const& item) {
    if ((count & (count - 1)) == 0) {  // full: a power of two, or 0
      T* const more = new T[count == 0 ? 1 : 2 * count];
      for (std::size_t i = 0; i < count; ++i) more[i] = items[i];
      delete[] items;
      items = more;
    }
    items[count++] = item;
  }
  [[nodiscard]] bool has(T const& wanted) const {
    for (T const& item : *this)
      if (item == wanted) return true;
    return false;
  }
  T* begin() const { return items; }
  T* end() const { return items + count; }
};

/// What a node does; it lives until the program ends.
struct graph_work {
  cudaError_t (*run)(void* work);
  void* work;
};

}  // namespace upsweep::emulated

struct CUgraphNode_st {
  CUgraph_st* graph;
  cudaGraphNodeType type;
  upsweep::emulated::graph_work does;
  upsweep::emulated::growing_array<CUgraphNode_st*> follows;
  bool has_run;
};
/// As what its nodes do, it lives until the program ends: streams and events from which it was
/// captured ask whether it is complete, also after it has been destroyed.
struct CUgraph_st {
  upsweep::emulated::growing_array<CUgraphNode_st*> nodes;
  CUgraphNode_st* last;
  bool is_complete;  ///< the capture has ended
  bool is_invalid;   ///< a call has ended it that a capture does not allow
  bool is_destroyed;
};
struct CUgraphExec_st {
  upsweep::emulated::growing_array<upsweep::emulated::graph_work> work;
  bool is_destroyed;
};

namespace upsweep::emulated {

/// Null if a dependency is no node of the graph.
template <class Work>
CUgraphNode_st* new_node(CUgraph_st& graph, cudaGraphNodeType type,
                         CUgraphNode_st* const* dependencies, std::size_t count, Work work) {
  auto* const node = new CUgraphNode_st{
      &graph,
      type,
      {[](void* w) -> cudaError_t { return (*static_cast<Work*>(w))(); }, new Work(work)},
      {},
      false};
  for (std::size_t i = 0; i < count; ++i) {
    if (dependencies[i] == nullptr || dependencies[i]->graph != &graph) return nullptr;
    node->follows.add(dependencies[i]);
  }
  graph.nodes.add(node);
  graph.last = node;
  return node;
}

inline bool is_ready(CUgraphNode_st const& node) {
  for (CUgraphNode_st const* before : node.follows)
    if (!before->has_run) return false;
  return !node.has_run;
}
/// The nodes in an order that keeps every dependence; fewer than there are if they form a circle.
inline growing_array<CUgraphNode_st*> in_order(CUgraph_st const& graph) {
  growing_array<CUgraphNode_st*> order;
  for (CUgraphNode_st* node : graph.nodes) node->has_run = false;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = graph.nodes.count; i-- > 0 && !found;)
      if (CUgraphNode_st* const node = graph.nodes.items[i]; is_ready(*node)) {
        node->has_run = found = true;
        order.add(node);
      }
  }
  return order;
}

}  // namespace upsweep::emulated

inline cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st{};
  return cudaSuccess;
}
inline cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  auto* const made = new CUgraph_st{{}, nullptr, graph->is_complete};
  for (CUgraphNode_st const* node : graph->nodes)
    made->nodes.add(new CUgraphNode_st{made, node->type, node->does, {}, false});
  for (std::size_t i = 0; i < graph->nodes.count; ++i)
    for (CUgraphNode_st* before : graph->nodes.items[i]->follows)
      for (std::size_t k = 0; k < graph->nodes.count; ++k)
        if (graph->nodes.items[k] == before)
          made->nodes.items[i]->follows.add(made->nodes.items[k]);
  if (made->nodes.count > 0) made->last = made->nodes.items[made->nodes.count - 1];
  *clone = made;
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (graph->is_destroyed)
    return static_cast<cudaError_t>(upsweep_emulated_fail(
        cudaErrorInvalidValue, "cudaGraphDestroy: the graph has already been destroyed"));
  for (CUgraphNode_st* node : graph->nodes) delete node;
  graph->nodes = {};
  graph->last = nullptr;
  graph->is_complete = graph->is_destroyed = true;
  return cudaSuccess;
}
/// `from[i]` comes before `to[i]`.
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                                           cudaGraphNode_t const* from,
                                                           cudaGraphNode_t const* to,
                                                           std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (from[i]->graph != graph || to[i]->graph != graph || to[i]->follows.has(from[i]))
      return upsweep::emulated::failed(cudaErrorInvalidValue);
    to[i]->follows.add(from[i]);
  }
  return cudaSuccess;
}
struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphAddDependencies(cudaGraph_t graph,
                                                           cudaGraphNode_t const* from,
                                                           cudaGraphNode_t const* to,
                                                           cudaGraphEdgeData const*,
                                                           std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
/// Their number, and the first `*count` of them if `nodes` is not null.
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                     std::size_t* count) {
  for (std::size_t i = 0; nodes != nullptr && i < *count; ++i)
    nodes[i] = i < graph->nodes.count ? graph->nodes.items[i] : nullptr;
  if (nodes == nullptr || *count > graph->nodes.count) *count = graph->nodes.count;
  return cudaSuccess;
}
/// The same for nodes that follow no other.
inline cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                         std::size_t* count) {
  CUgraph_st roots{};
  for (CUgraphNode_st* node : graph->nodes)
    if (node->follows.count == 0) roots.nodes.add(node);
  return cudaGraphGetNodes(&roots, nodes, count);
}
inline cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  *type = node->type;
  return cudaSuccess;
}

UPSWEEP_EMULATED_WORD cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable,
                                                       cudaGraph_t graph, unsigned long long = 0) {
  if (graph->is_destroyed)
    return static_cast<cudaError_t>(upsweep_emulated_fail(
        cudaErrorInvalidValue, "cudaGraphInstantiate: the graph has been destroyed"));
  auto const order = upsweep::emulated::in_order(*graph);
  if (order.count < graph->nodes.count)
    return static_cast<cudaError_t>(upsweep_emulated_fail(
        cudaErrorInvalidValue, "cudaGraphInstantiate: the graph's dependencies form a circle"));
  *executable = new CUgraphExec_st{};
  for (CUgraphNode_st const* node : order) (*executable)->work.add(node->does);
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable,
                                                       cudaGraph_t graph, cudaGraphNode_t*, char*,
                                                       std::size_t) {
  return cudaGraphInstantiate(executable, graph);
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable,
                                                                cudaGraph_t graph,
                                                                unsigned long long) {
  return cudaGraphInstantiate(executable, graph);
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t) {
  if (executable->is_destroyed)
    return static_cast<cudaError_t>(upsweep_emulated_fail(
        cudaErrorInvalidValue, "cudaGraphLaunch: the executable graph has been destroyed"));
  for (auto const& node : executable->work) static_cast<void>(node.run(node.work));
  return cudaPeekAtLastError();
}
UPSWEEP_EMULATED_WORD cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (executable->is_destroyed)
    return static_cast<cudaError_t>(upsweep_emulated_fail(
        cudaErrorInvalidValue, "cudaGraphExecDestroy: the graph has already been destroyed"));
  executable->work = {};
  executable->is_destroyed = true;
  return cudaSuccess;
}
