/// Contract 2: totals of blocks in registers (host/register_levels.hpp) have the reference's bits
/// on each kind of processor, and throw what the tree would throw first.
#include <conformance/processors.hpp>
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

template <class T>
std::vector<T> numbers(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x(n);
  for (T& e : x) {
    e = random_element<T>(next);
    if (next.below(50) == 0) e = 0;
  }
  return x;
}

/// Neither commutative nor associative, and of integers modulo 2^n.
auto const mix = []<class T>(T a, T b) -> T {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) * 3u +
                          static_cast<std::make_unsigned_t<T>>(b));
  else
    return a * T(0.75) + b;
};
/// What compilers do not vectorize.
auto const branch = []<class T>(T a, T b) -> T {
  if (a == 0) return b;
  if (b == 0) return a;
  return mix(b, a);
};
auto const half = []<class T>(T e) -> T { return e / 2; };

/// Blocks of all sizes, both as they are combined in registers and as block_total does.
template <class T, class F, class Op>
void expect_the_references_blocks(F const& f, Op const& op) {
  std::size_t const most = std::size_t{1} << host::largest_register_log2, first = 2 * most;
  // An odd address of elements, and a block that does not begin the array.
  auto const room = numbers<T>(3 * most + 1);
  T const* const x = room.data() + 1;
  source<T const*, F, Op, false> const in(x, 3 * most, f, op);
  on_each_kind_of_processor([&](std::string const& target) {
    for (int k = 0; k <= host::largest_register_log2; ++k) {
      std::vector<T> elements(x + first, x + first + (std::size_t{1} << k));
      for (T& e : elements) e = detail::invoke_function(f, e);
      T const want = reference::reduce(elements, op);
      auto const what = "2^" + std::to_string(k) + " elements, " + target + "; " + seed_note();
      if (host::fits_registers<T> && host::combines_in_registers<T>(k)) {
        EXPECT_TRUE(same_bits(host::register_total(in, first, k, op), want)) << what;
      }
      EXPECT_TRUE(same_bits(host::block_total(in, first, k, op), want)) << what;
    }
  });
}

TEST(register_levels, of_numbers_have_the_references_bits) {
  expect_the_references_blocks<float>(detail::as_is{}, monoid(mix, 0.f));
  expect_the_references_blocks<double>(detail::as_is{}, monoid(mix, 0.));
  expect_the_references_blocks<std::int32_t>(detail::as_is{}, monoid(mix, std::int32_t{0}));
  expect_the_references_blocks<std::uint64_t>(detail::as_is{}, monoid(mix, std::uint64_t{0}));
}

TEST(register_levels, of_what_is_not_vectorized_have_the_references_bits) {
  expect_the_references_blocks<float>(half, monoid(branch, 0.f));
  expect_the_references_blocks<std::int64_t>(half, monoid(branch, std::int64_t{0}));
}

TEST(register_levels, of_elements_behind_a_function_have_the_references_bits) {
  expect_the_references_blocks<float>(half, plus{});
  expect_the_references_blocks<double>(half, multiplies{});
}

TEST(register_levels, have_the_references_bits_in_calls) {
  for (std::size_t const n : {100u, 255u, 1000u, 4095u, 4097u, 12345u}) {
    auto const x = numbers<float>(n);
    std::vector<float> const reversed(x.rbegin(), x.rend());
    float const want = reference::reduce(x, monoid(mix, 0.f)),
                of_reversed = reference::reduce(reversed, monoid(mix, 0.f));
    for (int threads : {1, 3}) {
      cpu const on{.threads = threads};
      EXPECT_TRUE(same_bits(upsweep::reduce(on, x, monoid(mix, 0.f)), want)) << n;
      EXPECT_TRUE(
          same_bits(upsweep::reduce(on, x, monoid(mix, 0.f), {.reverse = true}), of_reversed))
          << n << "; " << seed_note();
    }
  }
}

TEST(register_levels, throw_the_first_exception_in_input_order) {
  std::size_t const n = 3 * 4096;
  for (std::size_t const bad : {0u, 1u, 63u, 64u, 700u, 4095u, 4096u, 12287u}) {
    std::vector<std::int32_t> x(n, 1);
    x[n - 1] = -9999;
    x[bad] = -1 - static_cast<std::int32_t>(bad);
    auto const add = [](std::int32_t a, std::int32_t b) {
      if (a < 0) throw a;
      if (b < 0) throw b;
      return a + b;
    };
    on_each_kind_of_processor([&](std::string const& target) {
      try {
        (void)upsweep::reduce(serial{}, x, add);
        ADD_FAILURE() << "nothing was thrown";
      } catch (std::int32_t first) {
        EXPECT_EQ(first, x[bad]) << bad << ", " << target;
      }
    });
  }
}

/// What others computed wrong, or no faster than a loop over one register.
TEST(register_levels, give_the_values_that_reports_about_others_expect) {
  std::vector<long> fifty(50);  // HPX 5147: 121989585, by an operator that squares
  std::iota(fifty.begin(), fifty.end(), 0L);
  EXPECT_EQ(upsweep::transform_reduce(fifty, [](long e) { return e * e; }, plus{}), 40425);
  std::vector<float> x(128);  // AdaptiveCpp 996: 4096
  std::iota(x.begin(), x.end(), 0.f);
  EXPECT_EQ(upsweep::reduce(x, [](float a, float b) { return a + b; }), 8128.f);
  std::vector<double> wide(5000);  // ClickHouse 116784, LLVM 62293
  std::iota(wide.begin(), wide.end(), 1.);
  EXPECT_EQ(upsweep::transform_reduce(
                wide, wide, [](double a, double b) { return a * b; }, plus{}),
            5000. * 5001 * 10001 / 6);
  // HPX 1958 and 4787, CCCL 4296: operators that are not commutative.
  for (int call = 0; call < 9; ++call) {
    EXPECT_EQ(upsweep::reduce(wide, [](double a, double) { return a; }), 1.);
    EXPECT_EQ(upsweep::reduce(wide, [](double, double b) { return b; }), 5000.);
    EXPECT_EQ(
        upsweep::reduce(wide, [](double a, double b) { return a > 0 && a < b ? b : -10000.; }),
        5000.);
  }
}

}  // namespace
}  // namespace upsweep::test
