/// Contract 2: blocks by compiled kernels and in registers.
#include <conformance/level_scans.hpp>
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/parts.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// Contract 2 and 6: operators made of others that have compiled kernels have the reference's bits,
// with NaN, zeros of both signs and ties at the borders of the kernels' blocks.

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

// Contract 2: totals of blocks in registers (host/register_levels.hpp) have the reference's bits
// on each kind of processor, and throw what the tree would throw first.

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

// Contract 2: blocks of scans in registers (host/register_scans.inl) have the bits of the combine
// tree on each kind of processor, write nowhere else, and combine neighbors only.

#ifdef UPSWEEP_AVX512
namespace upsweep::test {
namespace {

/// The prefixes before the 2^k elements of the combine tree from x on, after `before` if that
/// is not null.
template <class T, class Op>
void put_prefixes(T const* x, int k, T const* before, T* to, Op const& op) {
  if (k == 0) {
    if (before) *to = *before;
    return;
  }
  std::size_t const left_size = std::size_t{1} << (k - 1);
  T const left = reference::reduce(std::vector<T>(x, x + left_size), op);
  T const middle = before ? op(*before, left) : left;
  put_prefixes(x, k - 1, before, to, op);
  put_prefixes(x + left_size, k - 1, &middle, to + left_size, op);
}

template <class T>
struct in_memory {
  T const* first;

  template <std::size_t>
  T const* from(std::size_t i) const {
    return first + i;
  }
};

/// Both scans of a block at position 0 (`before` is null) or after it.
template <class T, class Op>
void expect_the_trees_block(std::vector<T> const& x, int k, T const* before, T untouched,
                            Op const& op, std::string const& what) {
  std::size_t const size = x.size();
  std::vector<T> left(size, untouched), want(size + 1, untouched), got(size + 2, untouched);
  T const total = host::up_in_registers(in_memory<T>{x.data()}, left.data(), k, op);
  EXPECT_TRUE(same_bits(total, reference::reduce(x, op))) << what;
  EXPECT_TRUE(same_bits(left.back(), untouched)) << "the room of the parent's node, " << what;
  T const after = before ? op(*before, total) : total;
  put_prefixes(x.data(), k, before, want.data(), op);
  want[size] = after;
  for (std::size_t const shift : {0u, 1u}) {
    auto const down = shift == 0 ? host::down_in_registers<scan_kind::exclusive, T, Op>
                                 : host::down_in_registers<scan_kind::inclusive, T, Op>;
    down(left.data(), before, after, got.data() + 1, op, k);
    std::size_t const first = shift == 0 && !before;  // not specified
    for (std::size_t i = first; i < size; ++i)
      ASSERT_TRUE(same_bits(got[i + 1], want[i + shift])) << shift << ", " << i << ", " << what;
    EXPECT_TRUE(same_bits(got.front(), untouched)) << what;
    EXPECT_TRUE(same_bits(got.back(), untouched)) << what;
  }
}

template <class T, class Op>
void expect_the_trees_blocks(T (*element)(std::size_t), Op const& op) {
  on_each_kind_of_processor([&](std::string const& target) {
    for (int k = 0; k <= host::largest_scan_log2<T>; ++k)
      for (bool const is_first : {true, false}) {
        if (!host::fits_scan_registers<T>(k)) continue;
        std::size_t const size = std::size_t{1} << k, position = is_first ? 0 : size;
        std::vector<T> earlier(position), x(size);
        for (std::size_t i = 0; i < position; ++i) earlier[i] = element(i);
        for (std::size_t i = 0; i < size; ++i) x[i] = element(position + i);
        T const before = is_first ? T() : reference::reduce(earlier, op);
        expect_the_trees_block(x, k, is_first ? nullptr : &before, element(99999), op,
                               "2^" + std::to_string(k) + " at " + std::to_string(position) + ", " +
                                   target + "; " + seed_note());
      }
  });
}

template <class T>
T random_number(std::size_t i) {
  random_bits next(test_seed() + i);
  return random_element<T>(next);
}

TEST(register_scans, have_the_trees_bits) {
  auto const real = []<class T>(T a, T b) -> T { return a * T(0.75) + b; };
  auto const whole = []<class T>(T a, T b) -> T { return a * 3u + b; };
  auto const branching = []<class T>(T a, T b) -> T {
    return a > T(0.5) ? a * T(0.75) + b : b - a;
  };
  expect_the_trees_blocks(&random_number<float>, monoid(real, 0.f));
  expect_the_trees_blocks(&random_number<double>, monoid(real, 0.));
  expect_the_trees_blocks(&random_number<std::uint32_t>, monoid(whole, 0u));
  expect_the_trees_blocks(&random_number<std::uint64_t>, monoid(whole, std::uint64_t{0}));
  expect_the_trees_blocks(&random_number<float>, monoid(branching, 0.f));
}

/// A block may not combine values that the tree does not combine, which might overflow: a range of
/// positions in one number, the first one above the last.
TEST(register_scans, combine_neighbors_only) {
  auto const neighbors = [](std::uint64_t a, std::uint64_t b) {
    if ((a & 0xffffffff) + 1 != b >> 32) throw a;
    return (a >> 32) << 32 | (b & 0xffffffff);
  };
  auto const join = monoid(neighbors, std::uint64_t{0});
  auto const position = +[](std::size_t i) { return std::uint64_t{i} << 32 | i; };
  expect_the_trees_blocks(position, join);
}
}  // namespace
}  // namespace upsweep::test
#endif
