/// Several quantiles in one call have the bits of one call for each.
#include <support/message.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

template <class T, class E>
void expect_the_bits_of_each(E const& on, std::vector<T> const& x) {
  std::vector<double> const q{0.5, 0, 1, 0.25, 0.999, 0.5, 1.0 / 3};
  for (std::size_t count = 0; count <= q.size(); ++count) {
    std::vector<double> got(count, -7);
    quantiles(on, x, std::span(q).first(count), got);
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(quantile(on, x, q[k])),
                std::bit_cast<std::uint64_t>(got[k]))
          << q[k] << " of " << x.size() << ", " << count << " in all";
  }
}

TEST(quantiles, have_the_bits_of_one_call_for_each) {
  for (std::size_t const n : {1u, 2u, 3u, 4u, 1000u}) {
    std::vector<double> x(n);
    std::vector<int> i(n);
    std::vector<std::int64_t> large(n);
    for (std::size_t k = 0; k < n; ++k) {
      i[k] = static_cast<int>(k * 7919 % 1009) - 500;
      x[k] = i[k] / 3.0;
      large[k] = (std::int64_t{1} << 53) + i[k];
    }
    for (auto const on : {cpu{.threads = 1}, cpu{.threads = 3}}) {
      expect_the_bits_of_each(on, x);
      expect_the_bits_of_each(on, i);
      expect_the_bits_of_each(on, large);
    }
  }
  double const inf = std::numeric_limits<double>::infinity();
  expect_the_bits_of_each(serial{}, std::vector<double>{inf, -inf, 0.0, -0.0, 1});
  expect_the_bits_of_each(serial{}, std::vector<float>{-0.0f, 0.0f});
}
TEST(quantiles, are_nan_if_there_is_one) {
  std::vector<double> const x{1, std::nan(""), 2};
  for (std::size_t const count : {1u, 3u, 4u, 5u}) {
    std::vector<double> const q(count, 0.0);
    std::deque<float> got(count);
    quantiles(x, q, got);
    for (float const each : got) EXPECT_TRUE(std::isnan(each));
  }
}
TEST(quantiles, refuse_wrong_arguments_before_anything_is_stored) {
  std::vector<double> const x{1, 2}, q{0.5, 0.5, 0.5, 0.5, 1.5}, none;
  std::vector<double> got(5, -7);
  EXPECT_EQ("quantile: q must be between 0 and 1; for percentiles divide by 100",
            message_of([&] { quantiles(x, q, got); }));
  EXPECT_NE("", message_of([&] { quantiles(x, std::span(q).first(4), got); }));
  EXPECT_NE("", message_of([&] { quantiles(none, std::span(q).first(1), got); }));
  EXPECT_EQ(std::vector<double>(5, -7), got);
  got.clear();
  EXPECT_EQ("", message_of([&] { quantiles(none, none, got); }));
}

}  // namespace
}  // namespace upsweep::test
