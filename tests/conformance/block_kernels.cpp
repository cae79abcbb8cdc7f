/// Contract 2 and 6: operators made of others that have compiled kernels have the reference's bits,
/// with NaN, zeros of both signs and ties at the borders of the kernels' blocks.
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

/// Few different values, so that there are ties; `rare` positions are NaN or zeros of either sign.
template <class T>
std::vector<T> tied(std::size_t n, std::uint64_t salt, bool with_nan) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x(n);
  for (T& e : x) e = static_cast<T>(static_cast<std::int8_t>(next.below(40)));
  if constexpr (detail::is_float<T>) {
    for (T& e : x)
      if (next.below(3) == 0) e = next.below(2) == 0 ? T(0.0f) : T(-0.0f);
    if (with_nan && n > 0) x[next.below(n)] = std::numeric_limits<float>::quiet_NaN();
    if (with_nan && n > 1000) x[n - 1 - next.below(1000)] = std::numeric_limits<float>::quiet_NaN();
  }
  return x;
}

template <class T, class Op>
void expect_the_references_total(Op const& op) {
  for (std::size_t const n : std::initializer_list<std::size_t>{1, 31, 32, 33, 100, 1000, 1024,
                                                                1025, 2049, 65536, 65537, 200003})
    for (bool with_nan : {false, true})
      for (int threads : {1, 3}) {
        auto const x = tied<T>(n, static_cast<std::uint64_t>(threads), with_nan);
        EXPECT_TRUE(detail::parts::same(upsweep::reduce(cpu{.threads = threads}, x, op),
                                        reference::reduce(x, op)))
            << n << " elements, " << threads << " threads; " << seed_note();
      }
}

template <class T>
void expect_every_operators_total() {
  expect_the_references_total<T>(argmin{});
  expect_the_references_total<T>(argmax{});
  expect_the_references_total<T>(argmin_last{});
  expect_the_references_total<T>(argmax_last{});
  expect_the_references_total<T>(minmax{});
  expect_the_references_total<T>(tuple_of{plus{}, max{}, argmax{}});
  expect_the_references_total<T>(moments{});
  expect_the_references_total<T>(log_sum_exp{});
  expect_the_references_total<T>(tuple_of{moments{}, max{}, log_sum_exp{}});
}

TEST(block_kernels, of_bytes_have_the_references_bits) {
  expect_every_operators_total<std::int8_t>();
}
TEST(block_kernels, of_doubles_have_the_references_bits) {
  expect_every_operators_total<double>();
}
TEST(block_kernels, of_16_bit_floats_have_the_references_bits) {
  expect_every_operators_total<bfloat16>();
}
#ifdef UPSWEEP_FULL_TESTS  // Each takes 8 s to compile, and the code is that of the types above.
TEST(block_kernels, of_long_integers_have_the_references_bits) {
  expect_every_operators_total<std::uint64_t>();
}
TEST(block_kernels, of_floats_have_the_references_bits) {
  expect_every_operators_total<float>();
}
#endif

TEST(block_kernels, take_elements_after_their_function_and_from_the_end) {
  auto const negated = [](float e) { return -e; };
  for (std::size_t const n : std::initializer_list<std::size_t>{33, 1025, 70007}) {
    auto const x = tied<float>(n, 1, false);
    std::vector<float> y;
    for (float e : x) y.push_back(-e);
    EXPECT_TRUE(detail::parts::same(upsweep::transform_reduce(x, negated, argmax{}),
                                    reference::reduce(y, argmax{})));
    EXPECT_TRUE(detail::parts::same(upsweep::transform_reduce(x, negated, minmax{}),
                                    reference::reduce(y, minmax{})));
    EXPECT_TRUE(detail::parts::same(upsweep::transform_reduce(x, negated, moments{}),
                                    reference::reduce(y, moments{})));
    EXPECT_TRUE(detail::parts::same(upsweep::transform_reduce(x, negated, log_sum_exp{}),
                                    reference::reduce(y, log_sum_exp{})));
    // From the end: the index counts from the front, and among ties the operator still decides.
    auto const last = upsweep::reduce(x, argmax_last{}, {.reverse = true});
    EXPECT_TRUE(detail::parts::same(last, reference::reduce(x, argmax_last{})));
  }
}

/// The total of `x` in chunks of 1, 4, 13, ... elements.
template <class Op>
auto total_of_chunks(std::vector<float> const& x) {
  reduce_stream<float, Op> stream;
  std::span<float const> rest(x);
  for (std::size_t size = 1; !rest.empty(); size = 3 * size + 1) {
    auto const now = size < rest.size() ? size : rest.size();
    stream.push(rest.first(now));
    rest = rest.subspan(now);
  }
  return stream.result();
}

TEST(block_kernels, continue_moments_across_the_chunks_of_a_stream) {
  auto const x = tied<float>(100003, 6, false);
  EXPECT_TRUE(detail::parts::same(total_of_chunks<moments>(x), reference::reduce(x, moments{})));
}

TEST(block_kernels, count_positions_across_the_chunks_of_a_stream) {
  auto const x = tied<float>(100003, 5, false);
  EXPECT_TRUE(
      detail::parts::same(total_of_chunks<argmin_last>(x), reference::reduce(x, argmin_last{})));
}

}  // namespace
}  // namespace upsweep::test
