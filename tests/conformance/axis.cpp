/// Axes of n-dimensional views on the executors of the processor.
#include <conformance/axis_contract.hpp>
#include <conformance/backends.hpp>

#include <set>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, axis_contract, host_backends, backend_name);

/// Every byte of a small view of T, one by one.
template <class T>
std::set<std::ptrdiff_t> bytes_of(T* memory, strided_view<T> const& view) {
  std::set<std::ptrdiff_t> bytes;
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t j = 0; j < view.extent(1); ++j)
      for (std::size_t k = 0; k < view.extent(2); ++k)
        for (std::size_t byte = 0; byte < sizeof(T); ++byte)
          bytes.insert((&view(i, j, k) - memory) * static_cast<std::ptrdiff_t>(sizeof(T)) +
                       static_cast<std::ptrdiff_t>(byte));
  return bytes;
}

template <class T>
strided_view<T> random_view(T* memory, random_bits& next) {
  std::array<std::size_t, 3> extent;
  std::array<std::ptrdiff_t, 3> stride;
  for (std::size_t d = 0; d < 3; ++d) {
    extent[d] = next() % 5;
    stride[d] = static_cast<std::ptrdiff_t>(next() % 31) - 15;
  }
  return {memory + next() % 60, std::span(extent), std::span(stride)};
}

TEST(overlap, of_random_views_agrees_with_a_test_of_every_byte) {
  std::vector<std::int64_t> memory(400);
  auto* const longs = memory.data() + 180;
  auto* const shorts = reinterpret_cast<std::int16_t*>(longs);
  random_bits next(test_seed());
  int common = 0;
  for (int round = 0; round < 3000; ++round) {
    auto const a = random_view(longs, next), b = random_view(longs, next);
    auto const c = random_view(shorts, next);
    auto const in_a = bytes_of(longs, a), in_b = bytes_of(longs, b), in_c = bytes_of(shorts, c);
    auto const meet = [](auto const& x, auto const& y) {
      return std::any_of(x.begin(), x.end(), [&](std::ptrdiff_t byte) { return y.contains(byte); });
    };
    ASSERT_EQ(detail::share_memory(a, b), meet(in_a, in_b))
        << "round " << round << "; " << seed_note();
    ASSERT_EQ(detail::share_memory(a, c), meet(in_a, in_c))
        << "round " << round << "; " << seed_note();
    common += meet(in_a, in_b);
  }
  EXPECT_GT(common, 300);
}
}  // namespace upsweep::test
