/// A GPU as a machine for the textbook's kernels: memory, copies and launches in the order of one
/// stream.
#pragma once

#include <upsweep/cuda/check.cuh>
#include <upsweep/simt/device.cuh>
#include <upsweep/simt/machine.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep {

/// A model of simt::machine. Everything runs on the device that is current when the machine is
/// made; to_host and to_device wait for the stream. A failed CUDA call throws cuda_error; a
/// kernel's failure is reported by the next call that waits. Not to be shared between threads.
class cuda_machine {
 public:
  cuda_machine() {
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "create a stream");
    check_cuda(cudaEventCreate(&begin_), "create an event");
    check_cuda(cudaEventCreate(&end_), "create an event");
  }
  ~cuda_machine() {
    (void)cudaStreamSynchronize(stream_);
    for (void* const buffer : buffers_) (void)cudaFree(buffer);
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
    (void)cudaStreamDestroy(stream_);
  }
  cuda_machine(cuda_machine const&) = delete;
  cuda_machine& operator=(cuda_machine const&) = delete;

  /// `count` elements, every byte 0xa5, so that a kernel that reads uninitialized memory does not
  /// find zeros. Freed with the machine.
  template <class T>
  [[nodiscard]] T* allocate(std::size_t count, char const* name) {
    std::size_t const bytes = count * sizeof(T);
    void* buffer = nullptr;
    check_cuda(cudaMalloc(&buffer, bytes > 0 ? bytes : 1),
               "allocate " + std::to_string(bytes) + " bytes for '" + name + "'");
    buffers_.push_back(buffer);
    check_cuda(cudaMemsetAsync(buffer, 0xa5, bytes, stream_), "poison '" + std::string(name) + "'");
    return static_cast<T*>(buffer);
  }
  template <class T>
  void fill(T* to, std::size_t count, std::type_identity_t<T> value) {
    to_device(to, std::vector<T>(count, value));
  }
  template <class T>
  [[nodiscard]] std::vector<std::remove_const_t<T>> to_host(T* from, std::size_t count) {
    std::vector<std::remove_const_t<T>> values(count);
    check_cuda(
        cudaMemcpyAsync(values.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream_),
        "copy to the host");
    wait();
    return values;
  }
  template <class T>
  void to_device(T* to, std::span<std::type_identity_t<T> const> values) {
    check_cuda(
        cudaMemcpyAsync(to, values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream_),
        "copy to the device");
    wait();
  }

  /// Starts `kernel(arguments...)` in every thread of the shape.
  template <class... Parameters, class... Arguments>
  void launch(simt::launch_shape const& shape, void (*kernel)(Parameters...),
              Arguments&&... arguments) {
    if (shape.shared_bytes > default_shared_bytes)
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shape.shared_bytes)),
                 "give " + std::to_string(shape.shared_bytes) + " bytes of shared memory to " +
                     shape.name);
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {shape.cluster.x, shape.cluster.y, shape.cluster.z};
    cudaLaunchConfig_t config{};
    config.gridDim = {shape.blocks.x, shape.blocks.y, shape.blocks.z};
    config.blockDim = {shape.threads.x, shape.threads.y, shape.threads.z};
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream_;
    config.attrs = &cluster;
    config.numAttrs = shape.cluster.count() > 1 ? 1 : 0;
    check_cuda(
        cudaLaunchKernelEx(&config, kernel, Parameters(std::forward<Arguments>(arguments))...),
        std::string("launch ") + shape.name);
    ++launches_;
  }

  [[nodiscard]] int launches() const { return launches_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// Waits until everything that was launched has completed.
  void wait() { check_cuda(cudaStreamSynchronize(stream_), "finish the launched kernels"); }

  /// Milliseconds on the device for the launches of `work()`, including the times in which `work()`
  /// waits for the device.
  template <class Work>
  [[nodiscard]] float time(Work&& work) {
    check_cuda(cudaEventRecord(begin_, stream_), "record an event");
    work();
    check_cuda(cudaEventRecord(end_, stream_), "record an event");
    check_cuda(cudaEventSynchronize(end_), "finish the launched kernels");
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, begin_, end_), "read the time");
    return milliseconds;
  }

 private:
  static constexpr std::size_t default_shared_bytes = 48 * 1024;  // a kernel's default limit

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<void*> buffers_;
  int launches_ = 0;
};

}  // namespace upsweep
