/// Device memory for tests, poisoned and fenced, and expected results, computed by the CPU.
#pragma once

#include "most_elements.hpp"

#include <cuda_runtime_api.h>
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/cuda/check.cuh>
#include <upsweep/cuda/device_memory.cuh>
#include <upsweep/ops/affine.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// Elements in device memory between two fences, and all of it 0xa5 at first. They are there before
/// anything in another stream begins: cudaMemcpy from pageable memory returns earlier.
template <class T>
class on_gpu {
 public:
  explicit on_gpu(std::size_t size, std::size_t offset = 0)
      : size_(size), offset_(offset), memory_((size + offset) * sizeof(T) + 2 * fence) {
    check_cuda(cudaMemset(memory_.data(), 0xa5, memory_.size()), "poison test data");
    check_cuda(cudaDeviceSynchronize(), "poison test data");
  }
  explicit on_gpu(std::vector<T> const& values, std::size_t offset = 0)
      : on_gpu(values.size(), offset) {
    check_cuda(cudaMemcpy(data(), values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice),
               "copy test data");
    check_cuda(cudaDeviceSynchronize(), "copy test data");
  }

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(memory_.data() + fence) + offset_; }
  [[nodiscard]] std::span<T> span() const { return {data(), size_}; }
  [[nodiscard]] std::span<T const> input() const { return {data(), size_}; }

  /// Its values, after all launched work has completed; fails if a fence was written to.
  [[nodiscard]] std::vector<T> values() const {
    check_cuda(cudaDeviceSynchronize(), "wait for the device");
    std::vector<unsigned char> bytes(memory_.size());
    check_cuda(cudaMemcpy(bytes.data(), memory_.data(), bytes.size(), cudaMemcpyDeviceToHost),
               "copy results");
    std::size_t const before = fence + offset_ * sizeof(T), after = before + size_ * sizeof(T);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if ((i < before || i >= after) && bytes[i] != 0xa5) {
        ADD_FAILURE() << "byte " << i << " is outside the elements and was written";
        break;
      }
    std::vector<T> result(size_);
    if (size_ > 0) std::memcpy(result.data(), bytes.data() + before, size_ * sizeof(T));
    return result;
  }

 private:
  static constexpr std::size_t fence = 1024;
  std::size_t size_, offset_;
  device_memory memory_;
};

/// A stream that does not wait for the default one.
class own_stream {
 public:
  own_stream() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
  }
  ~own_stream() { (void)cudaStreamDestroy(stream_); }
  own_stream(own_stream const&) = delete;
  own_stream& operator=(own_stream const&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const { check_cuda(cudaStreamSynchronize(stream_), "wait for a stream"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A kernel in a graph.
struct launched_kernel {
  std::size_t blocks, threads, shared_bytes;
};

/// The calls that record() makes in `stream`, which captures them, as a graph.
class recorded_calls {
 public:
  template <class Record>
  recorded_calls(cudaStream_t stream, Record const& record) {
    cudaGraph_t graph = nullptr;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "record a graph");
    record();
    check_cuda(cudaStreamEndCapture(stream, &graph), "record a graph");
    find_kernels(graph);
    cudaError_t const made = cudaGraphInstantiate(&graph_, graph, 0);
    check_cuda(cudaGraphDestroy(graph), "destroy a graph");
    check_cuda(made, "make a graph ready");
  }
  ~recorded_calls() { (void)cudaGraphExecDestroy(graph_); }
  recorded_calls(recorded_calls const&) = delete;
  recorded_calls& operator=(recorded_calls const&) = delete;

  void launch(cudaStream_t stream, int times = 1) const {
    for (int k = 0; k < times; ++k) check_cuda(cudaGraphLaunch(graph_, stream), "launch a graph");
  }
  [[nodiscard]] std::vector<launched_kernel> const& kernels() const { return kernels_; }

 private:
  void find_kernels(cudaGraph_t graph) {
    std::size_t count = 0;
    check_cuda(cudaGraphGetNodes(graph, nullptr, &count), "count the nodes of a graph");
    std::vector<cudaGraphNode_t> nodes(count);
    check_cuda(cudaGraphGetNodes(graph, nodes.data(), &count), "list the nodes of a graph");
    for (cudaGraphNode_t const node : nodes) {
      cudaGraphNodeType type{};
      check_cuda(cudaGraphNodeGetType(node, &type), "query a node of a graph");
      if (type != cudaGraphNodeTypeKernel) continue;
      cudaKernelNodeParams kernel{};
      check_cuda(cudaGraphKernelNodeGetParams(node, &kernel), "query a kernel of a graph");
      kernels_.push_back({kernel.gridDim.x, kernel.blockDim.x, kernel.sharedMemBytes});
    }
  }

  std::vector<launched_kernel> kernels_;
  cudaGraphExec_t graph_ = nullptr;
};

/// Random elements; affine maps are chosen so that prefixes do not grow.
template <class T>
std::vector<T> elements(std::size_t n) {
  if constexpr (std::is_same_v<T, affine_map<float>> || std::is_same_v<T, affine_map<double>>) {
    random_bits next(test_seed() + n);
    std::vector<T> x;
    for (std::size_t i = 0; i < n; ++i)
      x.push_back({static_cast<decltype(T::a)>(small(next)),
                   static_cast<decltype(T::a)>(scattered_float(next))});
    return x;
  } else {
    return random_elements<T>(n, test_seed() + n);
  }
}

/// Around every tile, warp, row and wave, with primes among them.
[[nodiscard]] inline std::vector<std::size_t> edge_sizes() {
  std::vector<std::size_t> sizes{0, 1, 2, 3, 5, 31, 32, 33, 100, 100003, 3000001, (1 << 20) + 7};
  for (int k = 7; k <= 23; ++k)
    for (std::size_t d : {~std::size_t{0}, std::size_t{0}, std::size_t{1}})
      sizes.push_back((std::size_t{1} << k) + d);
  return at_most_given(sizes);
}

template <class T>
void expect_same(std::vector<T> const& got, std::vector<T> const& want) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_TRUE(same_bits(got[i], want[i]))
        << "element " << i << " of " << got.size() << ": " << shown(got[i]) << " is not "
        << shown(want[i]) << "; " << seed_note();
}

/// Skips the test where there is no GPU.
#define UPSWEEP_NEEDS_A_GPU()                                        \
  do {                                                               \
    int devices = 0;                                                 \
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) \
      GTEST_SKIP() << "there is no GPU here";                        \
  } while (false)

}  // namespace upsweep::test
