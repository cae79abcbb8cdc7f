/// Concurrent, nested and forked calls on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/concurrency_contract.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, concurrency_contract, cpu_backends, backend_name);

TEST(concurrency, nested_calls_stay_on_their_thread) {
  std::vector<int> const in(many, 1);
  // In 2^15 elements a trial on the calling thread decides how many threads start.
  for (std::size_t const n : {std::size_t{1} << 15, many}) {
    std::atomic<int> strayed{0}, calls{0};
    auto const nested = [&](int x) {
      if (calls.fetch_add(1, std::memory_order_relaxed) % static_cast<int>(n / 8) != 0) return x;
      std::thread::id const here = std::this_thread::get_id();
      auto const add = [&](int a, int b) {
        if (std::this_thread::get_id() != here) ++strayed;
        return a + b;
      };
      return upsweep::reduce(cpu{.threads = 4}, in, add) == static_cast<int>(many) ? 1 : 0;
    };
    std::span const outer(in.data(), n);
    EXPECT_EQ(upsweep::transform_reduce(cpu{.threads = 2}, outer, nested),
              static_cast<std::int64_t>(n));
    std::vector<int> out(n);
    upsweep::transform_inclusive_scan(cpu{.threads = 2}, outer, out, nested);
    EXPECT_EQ(out.back(), static_cast<int>(n));
    EXPECT_EQ(strayed, 0) << n;
  }
}

}  // namespace upsweep::test
