/// `upsweep reduce` and `upsweep scan` on a GPU: every pair with the bytes of the CPU, in
/// small chunks and in more than the device gets at a time.
#include "../cli/engine_on_gpu.hpp"
#include <cli/cuda/gpu.hpp>

#include "most_elements.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace upsweep::test {
namespace {

/// Skips where there is no GPU.
class engine_on_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cli::gpu::look().devices.empty()) GTEST_SKIP() << "there is no GPU here";
  }
};

TEST_F(engine_on_gpu, has_the_bytes_of_the_processor_for_every_pair_in_small_chunks) {
  expect_engine_agrees_for_all(at_most_given({0, 1, 2, 31, 32, 33, 1000, 4095, 4096, 4097, 100003}),
                               {1, 2, 3, 0, 1024, 5, 31, 40000}, cli::gpu::streams());
}
TEST_F(engine_on_gpu, has_them_in_chunks_that_the_ring_takes) {
  expect_engine_agrees_for_all(at_most_given({3000001}), {1 << 20, 77777, 1, 1 << 21},
                               cli::gpu::streams());
}
TEST_F(engine_on_gpu, takes_a_chunk_that_is_longer_than_the_room_on_the_device) {
  for (std::size_t const n : at_most_given({(std::size_t{1} << 24) + 1001})) {
    expect_engine_agrees<plus, float>(n, {n}, cli::gpu::streams());
    expect_engine_agrees<max, double>(n, {n}, cli::gpu::streams());
    expect_engine_agrees<affine, affine_map<double>>(n, {n}, cli::gpu::streams());
  }
}

}  // namespace
}  // namespace upsweep::test
