/// A program whose own oneTBB threads were started under flush-to-zero: the library shares them, and still keeps subnormals.
#include <support/environment.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <thread>
#include <vector>

namespace upsweep::test {
namespace {

TEST(foreign_pool, of_flushing_threads_keeps_subnormals) {
  set_flushing(true);
  std::atomic<int> started{0};
  tbb::parallel_for(0, 64, [&](int) {
    ++started;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  set_flushing(false);
  ASSERT_EQ(started, 64);
  std::size_t const n = std::size_t{1} << 19;
  std::vector<float> const x(n, std::bit_cast<float>(1u));
  auto const add = monoid([](float a, float b) { return a + b; }, 0.0f);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(reduce(cpu{.threads = 2}, x)), n);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(reduce(cpu{.threads = 2}, x, add)), n);
  }
}

}  // namespace
}  // namespace upsweep::test
