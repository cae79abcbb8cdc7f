/// Contract 4: elements of any size. A call holds a few accumulators on the stack and the rest on
/// the heap.
#include <conformance/checks.hpp>
#include <upsweep/host/threads.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

template <std::size_t bytes>
struct large_element {
  std::uint32_t word[bytes / 4];
  friend bool operator==(large_element const&, large_element const&) = default;
};

/// Neither commutative nor associative, so the tree shows.
struct mix {
  template <class A>
  A operator()(A const& earlier, A const& later) const {
    A a = earlier;
    std::size_t i = 0;
    for (std::uint32_t& w : a.word) w = w * 3 + (later.word[i++] ^ w >> 7);
    return a;
  }
};

/// Sanitizers give every temporary of a function its own stack slot.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::size_t places_of_one = 8;
#else
constexpr std::size_t places_of_one = 1;
#endif

/// Runs f on a thread of its own with a stack of `bytes`.
void on_a_stack_of(std::size_t bytes, std::function<void()> const& f) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread;
  auto const run = [](void* context) -> void* {
    (*static_cast<std::function<void()> const*>(context))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&f)), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
}

/// All verbs over `n` elements of `bytes` bytes on one thread and on three, from a caller whose
/// stack has space for `accumulators` of them.
template <std::size_t bytes>
void expect_results(std::size_t n, std::size_t accumulators) {
  using T = large_element<bytes>;
  random_bits next(test_seed());
  std::vector<T> in(n);
  for (T& x : in)
    for (std::uint32_t& w : x.word) w = static_cast<std::uint32_t>(next());
  std::vector<T> const expected = tree_prefixes(in, mix{});
  host::threads::largest_cutoff = 1;
  for (int const count : {1, 3}) {
    cpu const on{.threads = count};
    std::vector<T> total, streamed, inclusive(n), exclusive(n), chunks(n);
    on_a_stack_of(places_of_one * (bytes * accumulators + 65536), [&] {
      total.push_back(upsweep::reduce(on, in, mix{}));
      upsweep::inclusive_scan(on, in, inclusive, mix{});
      upsweep::exclusive_scan(on, in, exclusive, mix{}, {.initial = in[0]});
      reduce_stream<T, mix> reduced(on);
      scan_stream<T, mix> scanned(on);
      for (std::size_t const i : {std::size_t{0}, n / 2}) {
        reduced.push(std::span<T const>(in).subspan(i, n / 2));
        scanned.inclusive(std::span<T const>(in).subspan(i, n / 2),
                          std::span<T>(chunks).subspan(i, n / 2));
      }
      streamed.push_back(reduced.result());
    });
    EXPECT_TRUE(total[0] == expected.back()) << seed_note();
    EXPECT_TRUE(inclusive == expected) << seed_note();
    EXPECT_TRUE(chunks == expected) << seed_note();
    EXPECT_TRUE(streamed[0] == expected.back()) << seed_note();
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_TRUE(exclusive[i] == (i == 0 ? in[0] : mix{}(in[0], expected[i - 1])))
          << i << ", " << seed_note();
  }
  host::threads::largest_cutoff = ~std::size_t{0};
}

TEST(large_elements, of_a_matrix_are_combined_on_any_number_of_threads) {
  expect_results<64 * 64 * sizeof(double)>(300, 24);
}
TEST(large_elements, of_128_KiB_are_combined_with_a_stack_for_24_of_them) {
  expect_results<128 * 1024>(40, 24);
}

}  // namespace
}  // namespace upsweep::test
