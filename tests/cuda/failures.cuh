/// Tests in which every CUDA call of a verb fails in turn.
#pragma once

#include "injected.hpp"
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace upsweep::test {

/// Elements in device memory, or an address that is never accessed.
template <class T>
class device_elements {
 public:
  explicit device_elements(std::vector<T> const& x, int which = 0)
      : n_(x.size()), address_((std::uintptr_t(which) + 1) << 40) {
    if (injected::has_gpu()) memory_.emplace(x);
  }
  explicit device_elements(std::size_t n, int which = 0) : device_elements(values_of(n), which) {}
  static std::vector<T> values_of(std::size_t n) { return random_elements<T>(n); }
  [[nodiscard]] T* data() const {
    return memory_ ? memory_->data() : reinterpret_cast<T*>(address_);
  }
  [[nodiscard]] std::span<T> out() const { return {data(), n_}; }
  [[nodiscard]] std::span<T const> in() const { return {data(), n_}; }
  /// Checks the bits of the last element; does nothing without a GPU.
  void expect_last(T const& want) const {
    if (!memory_) return;
    T last{};
    check_cuda(cudaDeviceSynchronize(), "wait for the device");
    check_cuda(cudaMemcpy(&last, data() + n_ - 1, sizeof last, cudaMemcpyDeviceToHost),
               "copy a result");
    EXPECT_TRUE(same_bits(last, want)) << shown(last) << " is not " << shown(want);
  }
  /// Checks the bits of the first elements, and that nothing was written outside all of them.
  void expect_first(std::vector<T> const& want) const {
    if (!memory_) return;
    auto const got = memory_->values();
    ASSERT_LE(want.size(), got.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_TRUE(same_bits(got[i], want[i]))
          << "element " << i << ": " << shown(got[i]) << " is not " << shown(want[i]);
  }

 private:
  std::size_t n_;
  std::uintptr_t address_;
  std::optional<on_gpu<T>> memory_;
};
using floats = device_elements<float>;

using named_calls = std::vector<std::pair<char const*, std::function<void()>>>;
/// Calls of the verbs on scan, whose memory is never accessed.
named_calls verbs_on_scan();

/// Runs `call` in its own thread, whose end frees the memory for its results. Returns what it
/// threw.
inline std::exception_ptr thrown_by(std::function<void()> const& call) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      call();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  return thrown;
}

inline std::string text_of(std::exception_ptr const& thrown) {
  if (thrown == nullptr) return "no exception";
  try {
    std::rethrow_exception(thrown);
  } catch (std::exception const& e) {
    return e.what();
  }
}

inline void expect_sentence(cuda_error const& e, std::string const& function) {
  std::string const text = e.what();
  EXPECT_EQ(e.code(), injected::code_for(function)) << text;
  EXPECT_EQ(text.find("cuda: cannot "), 0u) << text;
  EXPECT_TRUE(injected::names(function, text)) << "\"" << text << "\" does not tell " << function;
}

/// Lets the first, second, ... CUDA call of `call` fail until there is none left to fail; each time
/// `call` is done again at once in the same thread, and then everything is freed.
inline void expect_survives(std::function<void()> const& call) {
  int k = 1;
  for (bool failed = true; failed; ++k) {
    ASSERT_LT(k, 1000) << "it never succeeds";
    SCOPED_TRACE(testing::Message() << "CUDA call " << k << " fails");
    release_cuda_workspaces();
    std::exception_ptr const thrown = thrown_by([&] {
      injected::start(k);
      std::exception_ptr first;
      try {
        call();
      } catch (...) {
        first = std::current_exception();
      }
      std::string const function = injected::stop();
      failed = !function.empty();
      SCOPED_TRACE("it is " + function);
      if (failed && !injected::is_free(function))
        EXPECT_TRUE(first != nullptr) << "the failure was not reported";
      if (first != nullptr) {
        try {
          std::rethrow_exception(first);
        } catch (cuda_error const& e) {
          expect_sentence(e, function);
        }
        EXPECT_FALSE(injected::left_an_error());
      }
      call();  // as if nothing had happened
    });
    EXPECT_TRUE(thrown == nullptr) << "the call did not work afterwards: " << text_of(thrown);
    release_cuda_workspaces();
    EXPECT_EQ(injected::live(), 0u) << "allocations are left";
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(k, 2) << "nothing was there to fail";
}

/// The same of a call that is captured; if that succeeds, the graph is launched and its results
/// checked.
inline void expect_survives_in_graph(std::function<void(cudaStream_t)> const& record,
                                     std::function<void()> const& check) {
  auto stream = reinterpret_cast<cudaStream_t>(std::uintptr_t{1}
                                               << 12);  // the default stream cannot be recorded
  if (injected::has_gpu())
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
  expect_survives([&] {
    cudaGraph_t graph = nullptr;
    if (injected::has_gpu())
      check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                 "record a graph");
    injected::play_recording(true);
    std::exception_ptr thrown;
    try {
      record(stream);
    } catch (...) {
      thrown = std::current_exception();
    }
    injected::play_recording(false);
    if (injected::has_gpu()) {
      check_cuda(cudaStreamEndCapture(stream, &graph), "record a graph");
      if (thrown == nullptr) {
        cudaGraphExec_t executable;
        check_cuda(cudaGraphInstantiate(&executable, graph, 0), "make a graph ready");
        check_cuda(cudaGraphLaunch(executable, stream), "launch a graph");
        check();
        check_cuda(cudaGraphExecDestroy(executable), "destroy a graph");
      }
      check_cuda(cudaGraphDestroy(graph), "destroy a graph");
    }
    if (thrown != nullptr) std::rethrow_exception(thrown);
  });
  if (injected::has_gpu()) check_cuda(cudaStreamDestroy(stream), "destroy a stream");
}

}  // namespace upsweep::test
