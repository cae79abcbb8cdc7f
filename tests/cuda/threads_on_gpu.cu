/// Calls of several threads, in a file that is compiled with --default-stream=per-thread.
#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <thread>
#include <vector>

namespace upsweep::test {
namespace {

/// Calls without a stream share a workspace, so they must also share the stream. What a thread
/// enqueues in its own default stream comes before and after them.
TEST(cuda_threads, use_one_stream_by_default) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(1'000'003, most_elements());
  auto const work = [&](std::size_t shift) {
    auto const x = elements<float>(n + shift);
    std::vector<float> want(x.size());
    upsweep::inclusive_scan(x, want);
    on_gpu<float> const in(x), out(x.size());
    std::vector<float> copy(x.size());
    for (int run = 0; run < 500; ++run) {
      ASSERT_TRUE(same_bits(upsweep::reduce(gpu{}, in.input()), want.back())) << run;
      check_cuda(cudaMemsetAsync(out.data(), 0, x.size() * sizeof(float), nullptr),
                 "clear results");
      upsweep::inclusive_scan(gpu{}, in.input(), out.span());
      check_cuda(cudaMemcpyAsync(copy.data(), out.data(), x.size() * sizeof(float),
                                 cudaMemcpyDeviceToHost, nullptr),
                 "copy results");
      check_cuda(cudaStreamSynchronize(nullptr), "wait for this thread's stream");
      ASSERT_TRUE(same_bits(copy.back(), want.back())) << run;
    }
    expect_same(out.values(), want);
  };
  std::thread one(work, 0), two(work, 7), three(work, 500'000);
  one.join();
  two.join();
  three.join();
}

TEST(cuda_threads, may_name_their_own_default_streams) {
  UPSWEEP_NEEDS_A_GPU();
  std::size_t const n = detail::at_most(1'000'003, most_elements());
  auto const work = [&](std::size_t shift) {
    auto const x = elements<float>(n + shift);
    float const want = upsweep::reduce(x);
    on_gpu<float> const in(x);
    for (int run = 0; run < 500; ++run)
      ASSERT_TRUE(same_bits(upsweep::reduce(gpu{cudaStreamPerThread}, in.input()), want)) << run;
  };
  std::thread one(work, 0), two(work, 7);
  one.join();
  two.join();
}

}  // namespace
}  // namespace upsweep::test
