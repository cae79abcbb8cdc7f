/// Cumulative distributions on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/distribution_contract.hpp>
#include <conformance/every_call_starts_threads.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, distribution_contract, host_backends, backend_name);

/// More than 1 MiB, with and without vector kernels.
TEST(distribution, of_tiles_that_threads_share_at_once) {
  every_call_starts_threads const all;
  for (int const threads : {2, 3, 7})
    expect_the_maximum_of_the_first_results(cpu{.threads = threads}, (std::size_t{1} << 18) + 7);
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
