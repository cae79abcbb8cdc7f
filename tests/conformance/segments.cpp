/// Segments on the executors of the CPU.
#include <conformance/backends.hpp>
#include <conformance/segments_contract.hpp>
#include <upsweep/ops/recurrence.hpp>

#include <cstddef>
#include <vector>

namespace upsweep::test {
INSTANTIATE_TYPED_TEST_SUITE_P(host, segments_contract, host_backends, backend_name);

/// Batches that have as many elements as segments, but not one in each.
TEST(segments, of_one_element_on_average_are_not_taken_for_one_each) {
  auto const own = monoid(sum_of_two{}, 0.0f);
  for (std::size_t const n : {4u, 64u, 511u, 512u, 513u, 1028u}) {
    std::vector<std::vector<std::size_t>> sizes;
    for (std::vector<std::size_t> const& pattern : std::vector<std::vector<std::size_t>>{
             {1, 1, 2, 0}, {1, 2, 0, 1}, {1, 0, 2, 1}, {2, 0}, {0, 2}}) {
      auto& of = sizes.emplace_back(n);
      for (std::size_t k = 0; k < n; ++k) of[k] = pattern[k % pattern.size()];
    }
    for (std::size_t const at : {std::size_t{0}, n / 2, n - 2}) {  // one pair among ones
      auto& of = sizes.emplace_back(n, 1);
      of[at] = 0;
      of[at + 1] = 2;
    }
    for (auto const& of : sizes) {
      std::vector<std::size_t> offsets{0};
      for (std::size_t const size : of) offsets.push_back(offsets.back() + size);
      auto const x = uneven_numbers<float>(offsets.back());
      expect_segments<float>(serial{}, x, offsets, own);
      expect_segments<float>(serial{}, x, offsets, own, {.initial = 0.5f});
      expect_segments<float>(serial{}, x, offsets, plus{});
    }
  }
}

/// A sum whose initial value is the prefix before the first element, as that of a recurrence.
struct continued_sum {
  constexpr float operator()(float a, float b) const { return a + b; }
  [[nodiscard]] constexpr float identity() const { return 0; }
  [[nodiscard]] constexpr bool continues(float) const { return true; }
};
TEST(segments, begin_with_an_initial_value_that_is_a_prefix) {
  recurrence const filter({0.9f});
  std::size_t const n = 5'003;
  auto const x = uneven_numbers<float>(n);
  for (auto const& offsets : shapes(n)) {
    expect_segments<float>(serial{}, x, offsets, continued_sum{}, {.initial = 0x1p20f});
    expect_segments<float>(serial{}, x, offsets, filter, {.initial = filter.after({2.5f})});
  }
}
}  // namespace upsweep::test
