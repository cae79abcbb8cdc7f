/// Parts of core/ and what errors they report, which the verbs' suites meet rarely or never.
#include <support/message.hpp>
#include <support/random.hpp>
#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/line_between.hpp>
#include <upsweep/core/radix_sort.hpp>
#include <upsweep/core/scratch.hpp>
#include <upsweep/core/unit_flags.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double most = std::numeric_limits<double>::max();

TEST(carry, keeps_its_state_when_it_is_assigned_to_itself) {
  carry<std::string> all;
  std::string const letters = "abcdefg";
  for (char const c : letters) all.push(0, std::string(1, c), std::plus<std::string>{});
  auto const& same = all;
  all = same;
  EXPECT_EQ(letters, *all.prefix());
  EXPECT_EQ(letters.size(), all.position());
  all.push(0, "h", std::plus<std::string>{});
  EXPECT_EQ("abcdefgh", *all.prefix());
}
TEST(anchored_carry, has_no_result_without_elements_and_a_value_before_them) {
  int const before = 3;
  EXPECT_EQ(nullptr, detail::anchored_carry<int>(nullptr).result());
  EXPECT_EQ(3, *detail::anchored_carry<int>(&before).result());
}

/// The exact values; where last - first overflows, too.
TEST(line_between, has_the_exact_numbers_at_quarters) {
  struct {
    double first, last, quarter;
  } const cases[]{{0, 4, 1},
                  {-4, 4, -2},
                  {-most, most, -most / 2},
                  {most, -most, most / 2},
                  {-0x1p1023, 0x1p1023, -0x1p1022}};
  for (auto const& [first, last, quarter] : cases) {
    EXPECT_EQ(quarter, detail::on_line(first, last, 0.25)) << first << " " << last;
    EXPECT_EQ(0.25, detail::share_of_way(first, quarter, last)) << first << " " << last;
    EXPECT_EQ(first, detail::on_line(first, last, 0));
    EXPECT_EQ(last, detail::on_line(first, last, 1));
  }
}
TEST(line_between, of_infinite_ends_is_that_of_the_plain_formulas) {
  EXPECT_EQ(infinity, detail::on_line(0, infinity, 0.5));
  EXPECT_EQ(-infinity, detail::on_line(0, -infinity, 0.5));
  EXPECT_EQ(0, detail::share_of_way(0, 1, infinity));
  double volatile const endless = infinity;  // not for the compiler to compute
  for (double const first : {endless + 0, -endless}) {
    double const x = detail::on_line(first, 0, 0.5), share = detail::share_of_way(first, 1, 2);
    EXPECT_NE(x, x);
    EXPECT_NE(share, share);
  }
}

TEST(memory_for, that_no_machine_has_throws) {
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW((void)detail::memory_for<double>(all / 4), std::bad_array_new_length);
  EXPECT_THROW((void)detail::memory_for<char>(all - 100), std::bad_alloc);
}

/// Keys whose leading bits ascend, with runs of equal leading bits in which the others descend.
TEST(radix_sort, sorts_short_and_long_runs_of_equal_leading_bits) {
  random_bits next(test_seed());
  for (std::size_t const run : {2u, 3u, 31u, 32u, 100u})
    for (int round = 0; round < 20; ++round) {
      std::vector<std::uint64_t> x, other;
      for (std::uint64_t leading = 0; leading < 50; ++leading)
        for (std::size_t i = 0; i < run; ++i) x.push_back(leading << 32 | next() % 1000);
      auto want = x;
      std::sort(want.begin(), want.end());
      other.resize(x.size());
      auto const key = [](std::uint64_t e) { return e; };
      detail::sort_runs(x.data(), other.data(), x.size(), key,
                        [](std::uint64_t e) { return e >> 32; });
      ASSERT_EQ(want, x) << seed_note();
    }
}

TEST(strided_view, of_too_many_dimensions_or_other_strides_is_refused) {
  int x = 0;
  std::array<std::size_t, 33> ones;
  ones.fill(1);
  EXPECT_EQ(32u, strided_view<int>(&x, std::span(ones).first(32)).rank());
  EXPECT_EQ("strided_view: 33 dimensions, but at most 32 are supported",
            message_of([&] { strided_view<int>(&x, std::span<std::size_t const>(ones)); }));
  EXPECT_EQ("strided_view: 2 extents but 3 strides",
            message_of([&] { strided_view<int>(&x, {1, 1}, {1, 1, 1}); }));
}
/// Strides 6, 10 and 15, each up to twice: 7 is no sum, 0 and 31 are.
TEST(distances, contain_their_sums_unless_the_steps_end) {
  detail::distances all;
  for (std::size_t const stride : {6u, 10u, 15u}) all.add(stride, 2);
  for (std::size_t d = 0; d <= all.largest() + 1; ++d) {
    bool is_sum = false;
    for (std::size_t i = 0; i < 27; ++i) is_sum |= d == i % 3 * 6 + i / 3 % 3 * 10 + i / 9 * 15;
    EXPECT_EQ(is_sum, all.contain(d)) << d;
  }
  EXPECT_TRUE(all.contain(31, 100));
  EXPECT_FALSE(all.contain(31, 1));
}
/// A view of more dimensions than a strided_view can have, as a std::mdspan may.
struct view_of_33 {
  using element_type = int;
  int* data;
  [[nodiscard]] std::size_t rank() const { return 33; }
  [[nodiscard]] std::size_t extent(std::size_t) const { return 1; }
  [[nodiscard]] std::ptrdiff_t stride(std::size_t) const { return 1; }
  [[nodiscard]] int* data_handle() const { return data; }
};
TEST(overlap, of_more_than_64_dimensions_is_not_examined) {
  int x[2]{};
  EXPECT_FALSE(detail::share_memory(view_of_33{x}, view_of_33{x}));
  EXPECT_TRUE(detail::share_memory(view_of_33{x}, strided_view<int>(x, {2})));
}

/// tests/package/flags_test.py compiles such units.
TEST(a_unit, is_named_once_with_what_its_flags_do) {
  auto const said = [](detail::unit_flags& unit) {
    testing::internal::CaptureStderr();
    detail::report_flags(unit);
    return testing::internal::GetCapturedStderr();
  };
  detail::unit_flags fuses{"a.cpp", true, false}, both{"b.cpp", true, true};
  EXPECT_TRUE(said(fuses).starts_with("upsweep: a.cpp is compiled for fused multiply-adds, "));
  EXPECT_EQ("", said(fuses));
  EXPECT_TRUE(said(both).starts_with("upsweep: b.cpp is compiled with -ffast-math or a part "));
  EXPECT_EQ("", said(both));
}

/// Whether the language rejects To{x} as narrowing.
template <class From, class To>
inline constexpr bool braces_refuse = !requires(From x) { To{x}; };

template <class From, class To>
void expect_narrows() {
  constexpr bool rounds = std::is_integral_v<From> && std::is_floating_point_v<To>;
  constexpr bool is_truth = std::is_same_v<From, bool> || std::is_same_v<To, bool>;
  EXPECT_EQ((detail::narrows<From, To>), (braces_refuse<From, To> && !rounds && !is_truth))
      << __PRETTY_FUNCTION__;
}

template <class... T>
struct numbers {
  template <class From>
  static void expect_narrows_from() {
    (expect_narrows<From, T>(), ...);
  }
  static void expect_narrows_each() { (expect_narrows_from<T>(), ...); }
};

TEST(narrows, agrees_with_braces_but_lets_integers_be_rounded) {
  numbers<bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
          unsigned long, long long, unsigned long long, float, double,
          long double>::expect_narrows_each();
  EXPECT_TRUE((detail::narrows<double, bfloat16>));
  EXPECT_FALSE((detail::narrows<bfloat16, float>));
  EXPECT_TRUE((detail::narrows<int128, long>));
  EXPECT_TRUE((detail::narrows<int128, uint128>));
  EXPECT_TRUE((detail::narrows<bfloat16, int>));
  EXPECT_FALSE((detail::narrows<long, int128>));
}

}  // namespace
}  // namespace upsweep::test
