/// Contract 4 and 7: wrong use throws a sentence that says what, where, which value and what to do,
/// and writes nothing.
#pragma once

#include <upsweep/ops/segmented.hpp>

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <ranges>
#include <span>
#include <vector>

namespace upsweep::test {

template <class Backend>
class errors_contract : public testing::Test {};
TYPED_TEST_SUITE_P(errors_contract);

CONTRACT_TEST(errors_contract, sizes_that_differ_are_named) {
  auto const on = TypeParam::make();
  std::vector<float> const in(1234, 1.0f);
  fenced<float> out(987), empty(0);
  EXPECT_TRUE(refuses({"inclusive_scan", "1234", "987", "size"},
                      [&] { upsweep::inclusive_scan(on, in, out.inside()); }));
  EXPECT_TRUE(refuses({"exclusive_scan", "1234", "987", "size"},
                      [&] { upsweep::exclusive_scan(on, in, out.inside()); }));
  EXPECT_TRUE(refuses({"transform_inclusive_scan", "1234", "987"}, [&] {
    upsweep::transform_inclusive_scan(on, in, out.inside(), [](float x) { return x; });
  }));
  auto const product = [](float x, float y) { return x * y; };
  std::vector<float> const other(4321), same(1234);
  EXPECT_TRUE(refuses({"transform_reduce", "1234", "4321", "size"},
                      [&] { (void)upsweep::transform_reduce(on, in, other, product); }));
  EXPECT_TRUE(refuses({"transform_inclusive_scan", "1234", "4321", "input"}, [&] {
    upsweep::transform_inclusive_scan(on, in, other, out.inside(), product);
  }));
  EXPECT_TRUE(refuses({"transform_exclusive_scan", "1234", "987", "output"}, [&] {
    upsweep::transform_exclusive_scan(on, in, same, out.inside(), product);
  }));
  EXPECT_TRUE(refuses({"1234", "0"}, [&] { upsweep::inclusive_scan(on, in, empty.inside()); }));
  EXPECT_TRUE(refuses({"0", "987"},
                      [&] { upsweep::inclusive_scan(on, std::vector<float>{}, out.inside()); }));
  EXPECT_TRUE(out.unwritten());
}

CONTRACT_TEST(errors_contract, partial_overlap_is_refused) {
  auto const on = TypeParam::make();
  std::vector<double> memory = random_elements<double>(5000);
  std::vector<double> const before = memory;
  std::span const all(memory);
  auto const in = all.subspan(1000, 2000);
  for (std::size_t const start :
       {std::size_t{999}, std::size_t{1001}, std::size_t{1}, std::size_t{2999}}) {
    auto const out = all.subspan(start, 2000);
    EXPECT_TRUE(
        refuses({"inclusive_scan", "overlap"}, [&] { upsweep::inclusive_scan(on, in, out); }))
        << "start = " << start;
    EXPECT_TRUE(
        refuses({"exclusive_scan", "overlap"}, [&] { upsweep::exclusive_scan(on, in, out); }))
        << "start = " << start;
    std::vector<double> const apart(2000);
    auto const sum = [](double x, double y) { return x + y; };
    EXPECT_TRUE(refuses({"transform_inclusive_scan", "overlap"},
                        [&] { upsweep::transform_inclusive_scan(on, in, apart, out, sum); }))
        << "start = " << start;
    EXPECT_TRUE(refuses({"transform_exclusive_scan", "overlap"},
                        [&] { upsweep::transform_exclusive_scan(on, apart, in, out, sum); }))
        << "start = " << start;
    EXPECT_TRUE(refuses({"transform_exclusive_scan", "overlap"},
                        [&] { upsweep::transform_exclusive_scan(on, in, out, out, sum); }))
        << "start = " << start;
  }
  EXPECT_TRUE(memory == before) << "a refused call wrote something";
}

/// Scans from `in` into `out` are refused as overlapping.
template <class E, class In, class Out>
void expect_overlap(char const* what, E const& on, In const& in, Out&& out) {
  EXPECT_TRUE(refuses({"inclusive_scan", "overlap"}, [&] { upsweep::inclusive_scan(on, in, out); }))
      << what;
  EXPECT_TRUE(refuses({"transform_exclusive_scan", "overlap"}, [&] {
    upsweep::transform_exclusive_scan(on, in, out, [](auto const& x) { return x; });
  })) << what;
}

/// n elements of `range` from the one numbered `first` on.
auto window(auto& range, std::ptrdiff_t first, std::ptrdiff_t n) {
  return std::ranges::subrange(range.begin() + first, range.begin() + first + n);
}

CONTRACT_TEST(errors_contract, overlap_of_deques_is_refused) {
  if (is_device<TypeParam>) GTEST_SKIP() << "such ranges are in the host's memory";
  auto const on = TypeParam::make();
  auto const check = [&]<class T>(T, std::ptrdiff_t size) {
    std::deque<T> memory(static_cast<std::size_t>(size));
    auto const before = memory;
    for (std::ptrdiff_t const shift : {std::ptrdiff_t{1}, size / 5, size / 3, size / 2 - 1}) {
      auto const n = size / 2;
      auto const early = window(memory, 1, n), late = window(memory, 1 + shift, n);
      expect_overlap("later", on, early, late);
      expect_overlap("earlier", on, late, early);
      expect_overlap("backwards", on, std::views::reverse(early), late);
    }
    EXPECT_TRUE(memory == before) << "a refused call wrote something";
    upsweep::inclusive_scan(on, window(memory, 0, size / 2), window(memory, size / 2, size / 2));
    upsweep::inclusive_scan(on, window(memory, 3, size - 3), window(memory, 3, size - 3));
    upsweep::inclusive_scan(on, std::views::reverse(memory), std::views::reverse(memory));
  };
  for (std::ptrdiff_t const size : {10, 200, 10'000}) {
    check(double{}, size);
    check(std::int8_t{}, size);
    check(std::complex<long double>{}, size);
  }
}

CONTRACT_TEST(errors_contract, overlap_of_reversed_and_strided_views_is_refused) {
  if (is_device<TypeParam>) GTEST_SKIP() << "such ranges are in the host's memory";
  auto const on = TypeParam::make();
  std::vector<double> memory = random_elements<double>(5000);
  auto const before = memory;
  std::span const all(memory);
  expect_overlap("reversed", on, std::views::reverse(memory), memory);
  expect_overlap("reversed output", on, memory, std::views::reverse(memory));
  expect_overlap("reversed part", on, std::views::reverse(all.first(3000)), all.last(3000));
  expect_overlap("every second into the beginning", on,
                 detail::strided_line(memory.data(), 2, 2500), all.first(2500));
  expect_overlap("every second into the end", on, detail::strided_line(memory.data(), 2, 2500),
                 all.last(2500));
  expect_overlap("shifted with gaps", on, detail::strided_line(memory.data(), 2, 2000),
                 detail::strided_line(memory.data() + 2, 2, 2000));
  EXPECT_TRUE(memory == before) << "a refused call wrote something";
  upsweep::inclusive_scan(on, detail::strided_line(memory.data(), 2, 2500),
                          detail::strided_line(memory.data() + 1, 2, 2500));
  upsweep::inclusive_scan(on, detail::strided_line(memory.data(), 2, 2500),
                          detail::strided_line(memory.data(), 2, 2500));
  upsweep::inclusive_scan(on, std::views::reverse(all.first(2500)), all.last(2500));
  upsweep::inclusive_scan(on, std::views::reverse(memory), std::views::reverse(memory));
}

CONTRACT_TEST(errors_contract, overlap_of_bits_is_refused) {
  if (is_device<TypeParam>) GTEST_SKIP() << "such ranges are in the host's memory";
#ifdef _LIBCPP_VERSION
  GTEST_SKIP() << "iterators of libc++ do not say in which word their bit is";
#endif
  auto const on = TypeParam::make();
  std::vector<bool> memory(1000, true);
  auto const before = memory;
  for (std::ptrdiff_t const shift : {1, 3, 64, 499}) {
    auto const early = window(memory, 1, 500), late = window(memory, 1 + shift, 500);
    EXPECT_TRUE(refuses({"overlap"}, [&] { upsweep::inclusive_scan(on, early, late, bit_xor{}); }))
        << shift;
    EXPECT_TRUE(refuses({"overlap"}, [&] { upsweep::inclusive_scan(on, late, early, bit_xor{}); }))
        << shift;
  }
  EXPECT_TRUE(memory == before) << "a refused call wrote something";
  upsweep::inclusive_scan(on, window(memory, 0, 500), window(memory, 500, 500), bit_xor{});
  upsweep::inclusive_scan(on, memory, memory, bit_xor{});
}

CONTRACT_TEST(errors_contract, overlap_of_other_element_types_is_refused) {
  auto const on = TypeParam::make();
  std::vector<std::uint64_t> memory(1000, 1);
  std::span<std::uint32_t> const words(reinterpret_cast<std::uint32_t*>(memory.data()), 1000);
  EXPECT_TRUE(refuses({"overlap"}, [&] { upsweep::inclusive_scan(on, words, memory); }));
}

CONTRACT_TEST(errors_contract, neighbors_in_memory_do_not_overlap) {
  auto const on = TypeParam::make();
  std::vector<double> memory = random_elements<double>(4000);
  auto const v = values_by_tree(std::span(memory).first(2000), plus{}, options<double>{});
  upsweep::inclusive_scan(on, std::span(memory).first(2000), std::span(memory).subspan(2000));
  EXPECT_TRUE((holds_scan<scan_kind::inclusive>(v, std::span(memory).subspan(2000), plus{},
                                                options<double>{})));
}

CONTRACT_TEST(errors_contract, empty_input_without_identity_is_refused) {
  auto const on = TypeParam::make();
  auto const subtract = [](int a, int b) { return a - b; };
  EXPECT_TRUE(refuses({"reduce", "empty", "identity", ".initial"},
                      [&] { (void)upsweep::reduce(on, std::vector<int>{}, subtract); }));
  EXPECT_TRUE(refuses({"reduce", "empty", "identity"}, [&] {
    (void)upsweep::transform_reduce(on, std::vector<int>{}, [](int x) { return x; }, subtract);
  }));
}

CONTRACT_TEST(errors_contract, empty_input_has_no_largest_element) {
  auto const on = TypeParam::make();
  std::vector<double> const none, one{3};
  auto const refused = [](auto const& call) {
    return refuses({"reduce", "empty", "largest", "initial value"}, call);
  };
  EXPECT_TRUE(refused([&] { (void)upsweep::reduce(on, none, argmax{}); }));
  EXPECT_TRUE(refused([&] { (void)upsweep::reduce(on, none, argmin_last{}); }));
  EXPECT_TRUE(refused([&] { (void)upsweep::reduce(on, none, tuple_of{plus{}, argmax{}}); }));
  EXPECT_TRUE(refused(
      [&] { (void)upsweep::reduce(on, std::vector<flagged<double>>{}, segmented{argmin{}}); }));
  EXPECT_TRUE(refused([&] { (void)reduce_stream<double, argmax, decltype(on)>(on).result(); }));
  EXPECT_TRUE(refused([&] { (void)scan_stream<double, argmax, decltype(on)>(on).result(); }));
  for (std::size_t const lines :
       {std::size_t{3}, std::size_t{100}}) {  // lines one by one, and side by side
    float nothing = 0;
    std::vector<std::size_t> out(lines, 7);
    EXPECT_TRUE(refused([&] {
      upsweep::reduce(on, strided_view<float>(&nothing, {0, lines}),
                      strided_view<std::size_t>(out.data(), {lines}), argmax{}, {.axis = 0});
    }));
    EXPECT_TRUE(out == std::vector<std::size_t>(lines, 7));
  }
  if (is_device<TypeParam>) return;  // which has no kernels for the rest
  indexed<double> const before{2, 5};
  EXPECT_EQ(upsweep::reduce(on, none, argmax{}, {.initial = before}), before);
  std::vector<std::size_t> first(1);
  upsweep::exclusive_scan(on, one, first, argmax{});
  EXPECT_EQ(first[0], no_index);
}

CONTRACT_TEST(errors_contract, exclusive_scan_without_identity_or_initial_is_refused) {
  auto const on = TypeParam::make();
  auto const larger = [](int a, int b) { return a > b ? a : b; };
  std::vector<int> const in(100, 1);
  fenced<int> out(100);
  EXPECT_TRUE(refuses({"exclusive_scan", "identity", ".initial"},
                      [&] { upsweep::exclusive_scan(on, in, out.inside(), larger); }));
  EXPECT_TRUE(out.unwritten());
}

CONTRACT_TEST(errors_contract, empty_scans_do_nothing) {
  auto const on = TypeParam::make();
  auto const larger = [](int a, int b) { return a > b ? a : b; };
  std::vector<int> in, out;
  upsweep::inclusive_scan(on, in, out);
  upsweep::inclusive_scan(on, in, out, larger);
  upsweep::exclusive_scan(on, in, out);
  upsweep::exclusive_scan(on, in, in);
  EXPECT_TRUE(out.empty());
}

REGISTER_TYPED_TEST_SUITE_P(errors_contract, sizes_that_differ_are_named,
                            partial_overlap_is_refused, overlap_of_deques_is_refused,
                            overlap_of_reversed_and_strided_views_is_refused,
                            overlap_of_bits_is_refused, overlap_of_other_element_types_is_refused,
                            neighbors_in_memory_do_not_overlap,
                            empty_input_without_identity_is_refused,
                            empty_input_has_no_largest_element,
                            exclusive_scan_without_identity_or_initial_is_refused,
                            empty_scans_do_nothing);

}  // namespace upsweep::test
