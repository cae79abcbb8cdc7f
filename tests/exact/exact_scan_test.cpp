/// Scans with exact_sum: every prefix is the correctly rounded sum of its elements.
#include "inputs.hpp"
#include "oracle.hpp"

#include <support/bits.hpp>

#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace upsweep::test {
namespace {

template <class T>
class exact_scans : public testing::Test {};
using summed_types = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_scans, summed_types);

template <class T>
void expect_prefixes(std::vector<T> const& out, std::vector<T> const& expected,
                     std::string const& what) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_TRUE(same_bits(out[i], expected[i]))
        << what << ", element " << i << " of " << out.size() << ": got " << shown(out[i])
        << ", correctly rounded is " << shown(expected[i]) << "; " << seed_note();
}

TYPED_TEST(exact_scans, round_every_prefix_correctly) {
  using T = TypeParam;
  for (auto const& f : families<T>()) {
    for (std::size_t const n : {1u, 2u, 100u, 4097u, 70001u}) {
      std::vector<T> const x = made(f, n, 5);
      std::vector<T> inclusive, exclusive, out(n);
      oracle_sum sum;
      for (T const v : x) {
        exclusive.push_back(sum.rounded<T>());
        sum.add(static_cast<double>(v));
        inclusive.push_back(sum.rounded<T>());
      }
      upsweep::inclusive_scan(x, out, exact_sum{});
      expect_prefixes(out, inclusive, "inclusive, " + f.name);
      upsweep::exclusive_scan(cpu{.threads = 3}, x, out, exact_sum{});
      expect_prefixes(out, exclusive, "exclusive, " + f.name);
    }
  }
}

TYPED_TEST(exact_scans, start_from_an_initial_value_and_run_in_reverse) {
  using T = TypeParam;
  T const big = std::numeric_limits<T>::max();
  std::vector<T> const x{big, -big, T{1}, T{2}};
  std::vector<T> out(4);
  upsweep::inclusive_scan(x, out, exact_sum{}, {.initial = big});
  EXPECT_EQ(out, (std::vector<T>{std::numeric_limits<T>::infinity(), big, big, big}));
  upsweep::inclusive_scan(x, out, exact_sum{}, {.reverse = true});
  EXPECT_EQ(out, (std::vector<T>{T{3}, -big, T{3}, T{2}}));
}

}  // namespace
}  // namespace upsweep::test
