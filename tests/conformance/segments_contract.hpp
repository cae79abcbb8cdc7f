/// Contract 12: each segment's result has the bits of the verb over that segment alone, regardless
/// of its position.
#pragma once

#include <conformance/contract_test.hpp>
#include <conformance/devices.hpp>
#include <conformance/refusals.hpp>
#include <support/bits.hpp>
#include <support/build_kind.hpp>
#include <support/fenced.hpp>
#include <support/functions.hpp>
#include <support/random.hpp>
#include <support/uneven.hpp>
#include <support/varied.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/min_max.hpp>
#include <upsweep/reduce.hpp>
#include <upsweep/segments.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {

/// Offsets of segments over n elements: `size(k)` elements in segment k, the last one cut.
template <class Size>
std::vector<std::size_t> offsets_by(std::size_t n, Size const& size) {
  std::vector<std::size_t> offsets{0};
  for (std::size_t k = 0; offsets.back() < n; ++k)
    offsets.push_back(std::min(n, offsets.back() + size(k)));
  return offsets;
}

/// Segments of many shapes: all of one length, lengths around powers of two, a power law, empty
/// ones before, between and after, one over everything.
inline std::vector<std::vector<std::size_t>> shapes(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<std::vector<std::size_t>> all{
      offsets_by(n, [](std::size_t) { return 1u; }),
      offsets_by(n, [](std::size_t) { return 7u; }),
      offsets_by(n, [](std::size_t k) { return (std::size_t{1} << k % 14) + k % 3 - 1 + (k < 3); }),
      offsets_by(n,
                 [&](std::size_t) {
                   return static_cast<std::size_t>(
                       std::pow(static_cast<double>(next() % 1000 + 1) / 1000, -2.0));
                 }),
      offsets_by(n, [&](std::size_t k) { return k % 3 == 0 ? next() % 40 : 0; }),
      offsets_by(n, [&](std::size_t) { return n; }),
  };
  all[1].insert(all[1].begin(), 500, 0);
  all[1].insert(all[1].end(), 500, n);
  return all;
}

/// All verbs over the segments of `x`, against the definition; long segments against the executor
/// `serial`, which has it from the other suites.
template <class R, class T, class Op, class E>
void expect_segments(E const& on, std::vector<T> const& x, std::vector<std::size_t> const& offsets,
                     Op const& op, options<accumulator_t<Op, T>> const& o = {}) {
  std::size_t const count = offsets.size() - 1;
  fenced<R> totals(count), inclusive(x.size()), exclusive(x.size());
  upsweep::reduce_segments(on, x, offsets, totals.inside(), op, o);
  upsweep::inclusive_scan_segments(on, x, offsets, inclusive.inside(), op, o);
  upsweep::exclusive_scan_segments(on, x, offsets, exclusive.inside(), op, o);
  EXPECT_TRUE(totals.intact() && inclusive.intact() && exclusive.intact());
  std::optional<accumulator_t<Op, T>> const& initial = o.initial;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<T> const alone(x.begin() + static_cast<std::ptrdiff_t>(offsets[k]),
                               x.begin() + static_cast<std::ptrdiff_t>(offsets[k + 1]));
    std::size_t const m = alone.size();
    std::vector<R> sums(m), before(m);
    R total{};
    if (m < 300) {
      total = static_cast<R>(reference::reduce(alone, op, initial));
      auto const i = reference::inclusive_scan(alone, op, initial),
                 e = reference::exclusive_scan(alone, op, initial);
      std::transform(i.begin(), i.end(), sums.begin(), [](auto const& v) { return R(v); });
      std::transform(e.begin(), e.end(), before.begin(), [](auto const& v) { return R(v); });
    } else {
      total = static_cast<R>(upsweep::reduce(serial{}, alone, op, o));
      upsweep::inclusive_scan(serial{}, alone, sums, op, o);
      upsweep::exclusive_scan(serial{}, alone, before, op, o);
    }
    ASSERT_TRUE(same_bits(totals[k], total)) << "segment " << k << " of " << m;
    for (std::size_t i = 0; i < m; ++i) {
      ASSERT_TRUE(same_bits(inclusive[offsets[k] + i], sums[i])) << i << " of segment " << k;
      ASSERT_TRUE(same_bits(exclusive[offsets[k] + i], before[i])) << i << " of segment " << k;
    }
  }
}

/// A sum of the elements times their positions in the segment, from 1 on.
struct sum_by_position {
  template <class>
  using accumulator = std::int64_t;
  [[nodiscard]] constexpr std::int64_t lift(std::int64_t x, std::size_t index) const {
    return x * static_cast<std::int64_t>(index + 1);
  }
  constexpr std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a + b; }
  [[nodiscard]] constexpr std::int64_t identity() const { return 0; }
};

template <class Backend>
class segments_contract : public testing::Test {};
TYPED_TEST_SUITE_P(segments_contract);

CONTRACT_TEST(segments_contract, floats_have_the_bits_of_their_segment_alone) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{1}, std::size_t{17}, std::size_t{9'001},
                              std::size_t{slow_build ? 20'001u : 100'003u}})
    for (auto const& offsets : shapes(n)) {
      expect_segments<float>(on, uneven_numbers<float>(n), offsets, plus{});
      expect_segments<double>(on, uneven_numbers<double>(n), offsets, plus{}, {.initial = 0x1p60});
      expect_segments<float>(on, uneven_numbers<float>(n), offsets, plus{}, {.initial = -0.0f});
      if (is_device<TypeParam>) continue;  // the tests have no kernels for it
      expect_segments<double>(on, uneven_numbers<float>(n), offsets, plus{});
    }
}

CONTRACT_TEST(segments_contract, every_kind_of_operator_is_applied_in_each_segment) {
  auto const on = TypeParam::make();
  std::size_t const n = 5'003;
  auto const [small, maps, words] = varied_elements(n);
  for (auto const& offsets : shapes(n)) {
    expect_segments<std::int64_t>(on, small, offsets, plus{});
    expect_segments<std::int16_t>(on, small, offsets, max{});
    expect_segments<float>(on, elements_with_specials<float>(n, 9), offsets, max{});
    expect_segments<double>(on, elements_with_specials<double>(n, 99), offsets, min{});
    expect_segments<upsweep::affine_map<float>>(on, maps, offsets, affine{});
    expect_segments<float>(on, uneven_numbers<float>(n), offsets, monoid(sum_of_two{}, 0.0f));
    if constexpr (!is_device<TypeParam>) {  // a device cannot hold strings
      expect_segments<std::string>(on, words, offsets, concat{});
      expect_segments<std::int64_t>(on, small, offsets, sum_by_position{});
    }
  }
}

CONTRACT_TEST(segments_contract, a_long_segment_among_short_ones_uses_all_threads) {
  auto const on = TypeParam::make();
  auto const x = uneven_numbers<float>(many);
  std::vector<std::size_t> offsets(1000);
  std::iota(offsets.begin(), offsets.end(), std::size_t{0});
  offsets.push_back(many - 50);
  offsets.push_back(many - 50);
  offsets.push_back(many);
  expect_segments<float>(on, x, offsets, plus{});
}

CONTRACT_TEST(segments_contract, scans_may_be_in_place_and_offsets_of_any_type) {
  auto const on = TypeParam::make();
  std::vector<int> x(9'001, 1), expected(x.size());
  std::vector<std::uint16_t> const offsets{0, 5, 5, 4'096, 9'001};
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    std::iota(expected.begin() + offsets[k], expected.begin() + offsets[k + 1], 1);
  upsweep::inclusive_scan_segments(on, x, offsets, x);
  EXPECT_EQ(x, expected);
}

/// A sum that throws a negative number on its left.
inline constexpr auto sum_of_positives = [](int a, int b) {
  if (a < 0) throw a;
  return a + b;
};

CONTRACT_TEST(segments_contract, the_exception_of_the_first_segment_is_thrown) {
  if constexpr (is_device<TypeParam>) {
    GTEST_SKIP() << "kernels do not throw";
  } else {
    auto const on = TypeParam::make();
    random_bits next(test_seed());
    std::vector<std::size_t> offsets{0};
    while (offsets.back() < 20'000) offsets.push_back(offsets.back() + 2 + next() % 11);
    offsets.back() += next() % 300;  // the last one is long
    std::size_t const count = offsets.size() - 1;
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<int> x(offsets.back(), 1), totals(count);
      std::size_t first = count;
      for (int bad = 0; bad < 4; ++bad) {
        std::size_t const k = trial == 0 ? count - 1 : next() % count;
        x[offsets[k]] = -1 - static_cast<int>(k);
        first = std::min(first, k);
      }
      auto const expect_thrown = [&](auto const& call) {
        try {
          call();
          ADD_FAILURE() << "nothing was thrown";
        } catch (int const thrown) {
          EXPECT_EQ(thrown, -1 - static_cast<int>(first));
        }
      };
      monoid const op(sum_of_positives, 0);
      expect_thrown([&] { upsweep::reduce_segments(on, x, offsets, totals, op); });
      auto y = x;
      expect_thrown([&] { upsweep::inclusive_scan_segments(on, y, offsets, y, op); });
      y = x;
      expect_thrown([&] { upsweep::exclusive_scan_segments(on, y, offsets, y, op); });
    }
  }
}

CONTRACT_TEST(segments_contract, the_exception_of_a_long_segment_before_is_thrown) {
  if constexpr (is_device<TypeParam>) {
    GTEST_SKIP() << "kernels do not throw";
  } else {
    auto const on = TypeParam::make();
    constexpr std::size_t large = 70'000, larges = 5;
    std::vector<std::size_t> offsets(1);
    for (std::size_t k = 0; k < larges; ++k) offsets.push_back(offsets.back() + large + k);
    for (std::size_t k = 0; k < 1000; ++k) offsets.push_back(offsets.back() + 5);
    std::vector<int> totals(offsets.size() - 1);
    for (std::size_t first = 0; first < larges; ++first) {
      std::vector<int> x(offsets.back(), 1);
      for (std::size_t k = first; k < totals.size(); k += 3)
        x[offsets[k]] = -1 - static_cast<int>(k);
      try {
        upsweep::reduce_segments(on, x, offsets, totals, monoid(sum_of_positives, 0));
        ADD_FAILURE() << "nothing was thrown";
      } catch (int const thrown) {
        EXPECT_EQ(thrown, -1 - static_cast<int>(first));
      }
    }
  }
}

CONTRACT_TEST(segments_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<int> x(10'000, 1), out(3), all(10'000);
  auto const refused = [&](std::initializer_list<char const*> words,
                           std::vector<std::size_t> const& offsets) {
    EXPECT_TRUE(refuses(words, [&] { upsweep::reduce_segments(on, x, offsets, out); }));
    EXPECT_TRUE(refuses(words, [&] { upsweep::inclusive_scan_segments(on, x, offsets, all); }));
  };
  if (!is_device<TypeParam>) {  // offsets in its memory are not read by the host
    refused({"offset 2 of 4", "less"}, {0, 9'000, 8'000, 10'000});
    refused({"offset 1 of 3", "2^63"}, {0, ~std::size_t{0} - 4, 5'000});
    refused({"first offset"}, {1, 2, 3, 10'000});
    refused({"last offset is 9999", "10000"}, {0, 2, 3, 9'999});
  }
  refused({"no offsets"}, {});
  if (!is_device<TypeParam>) {
    EXPECT_TRUE(refuses({"offset 1 of 3 is negative"}, [&] {
      upsweep::reduce_segments(on, x, std::vector{0, -5, 5'000}, std::span(out).first(2));
    }));
  }
  EXPECT_TRUE(refuses({"2 segments", "3 elements"},
                      [&] { upsweep::reduce_segments(on, x, std::vector{0, 5, 10'000}, out); }));
  if (!is_device<TypeParam>) {  // where an empty segment stores nothing
    EXPECT_TRUE(refuses({"empty"}, [&] {
      upsweep::reduce_segments(on, x, std::vector{0, 5, 5, 10'000}, out, product_of_two{});
    }));
  }
  upsweep::reduce_segments(on, x, std::vector{0, 5, 5, 10'000}, out, product_of_two{},
                           {.initial = 7});
  EXPECT_EQ(out, (std::vector{7, 7, 7}));
  EXPECT_TRUE(refuses({"overlap"}, [&] {
    upsweep::inclusive_scan_segments(on, std::span(x).first(100), std::vector{0, 100},
                                     std::span(x).subspan(1, 100));
  }));
  std::vector<int> offsets{0, 2, 5'000, 10'000};
  EXPECT_TRUE(refuses({"reduce_segments", "overlap"},
                      [&] { upsweep::reduce_segments(on, x, offsets, std::span(x).first(3)); }));
  EXPECT_TRUE(refuses({"reduce_segments", "overlap"}, [&] {
    upsweep::reduce_segments(on, x, offsets, std::span(offsets).last(3));
  }));
  EXPECT_TRUE(refuses({"exclusive_scan_segments", "overlap"}, [&] {
    upsweep::exclusive_scan_segments(on, std::span(x).first(4), offsets, offsets);
  }));
  EXPECT_EQ(offsets, (std::vector{0, 2, 5'000, 10'000}));
}

REGISTER_TYPED_TEST_SUITE_P(segments_contract, the_exception_of_the_first_segment_is_thrown,
                            the_exception_of_a_long_segment_before_is_thrown,
                            floats_have_the_bits_of_their_segment_alone,
                            every_kind_of_operator_is_applied_in_each_segment,
                            a_long_segment_among_short_ones_uses_all_threads,
                            scans_may_be_in_place_and_offsets_of_any_type, wrong_calls_are_refused);

}  // namespace upsweep::test
