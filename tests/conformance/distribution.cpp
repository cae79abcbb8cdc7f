/// Cumulative distributions on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/distribution_contract.hpp>
#include <conformance/every_call_starts_threads.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, distribution_contract, host_backends, backend_name);

/// More than 1 MiB, with and without vector kernels.
TEST(distribution, of_tiles_that_threads_share_at_once) {
  every_call_starts_threads const all;
  for (int const threads : {2, 3, 7})
    expect_the_maximum_of_the_first_results(cpu{.threads = threads}, (std::size_t{1} << 18) + 7);
}

/// The thread that scans the second tile does not know the first one's maximum: the first weight
/// waits for it.
TEST(distribution, is_raised_to_the_maximum_of_another_threads_tile) {
  every_call_starts_threads const all;
  auto const caller = std::this_thread::get_id();
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  std::atomic<bool> are_two = false;
  auto const weight = [&](std::size_t i) {
    if (std::this_thread::get_id() != caller) are_two = true;
    while (i == 0 && !are_two && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return i == 0 ? 0x1p24f : i == 4 || i == 5 ? 0.75f : i == 6 ? 1.0f : 0.0f;
  };
  std::vector<float> out(1'000);
  upsweep::cumulative_distribution(
      cpu{.threads = 2},
      std::views::iota(std::size_t{0}, out.size()) | std::views::transform(weight), out);
  for (std::size_t i = 6; i < out.size(); ++i) ASSERT_EQ(out[i], 0x1p24f + 4) << i;
}

/// More than 1 MiB: each tile is checked before it is scanned.
TEST(distribution_of_memory, refuses_a_negative_weight_in_any_tile) {
  std::size_t const n = std::size_t{1} << 18;
  std::vector<double> out(n);
  for (int const threads : {1, 3})
    for (std::size_t const at : {std::size_t{0}, n / 2 - 1, n - 2, n - 1}) {
      std::vector<double> weights(n, 0.5);
      weights[at] = -1;
      std::string const where = "index " + std::to_string(at) + " of " + std::to_string(n);
      EXPECT_TRUE(refuses({"cumulative_distribution", where.c_str(), "negative or NaN"}, [&] {
        upsweep::cumulative_distribution(cpu{.threads = threads}, weights, out);
      }));
    }
}

}  // namespace upsweep::test
